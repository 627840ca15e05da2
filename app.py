"""Glassbox GPT-2: what `streamlit run app.py` starts.

The server imports this file once and warms up while the first visitor's browser is still loading;
then it runs the file as a script, once for every visit and every choice.
"""

import streamlit as st

from viz.pages.addresses import ADDRESSES
from viz.pages.warm_up import warmed_up

if __name__ == "__main__":
    from viz.pages.about import about
    from viz.pages.explore import explore
    from viz.pages.learn import learn

    st.set_page_config(page_title="Glassbox GPT-2", layout="wide")
    pages: list = []
    pages += [
        st.Page(lambda: explore(pages), title="Explore", url_path="explore", default=True),
        st.Page(lambda: learn(pages), title="Learn", url_path="learn"),
        st.Page(lambda: about(pages), title="About", url_path="about"),
    ]
    st.navigation(pages, position="hidden").run()
else:
    app = st.App(__file__, lifespan=warmed_up, routes=ADDRESSES)
