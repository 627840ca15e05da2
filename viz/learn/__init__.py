"""The pictures of the chapter: arrays and labels in, a figure or a drawing's data out."""
