"""The words of the corpus: plain data, from which stories and skills are put together."""


def listed(text: str) -> list[str]:
    """`"a b_c"` -> `["a", "b c"]`; an underscore stands for a space."""
    return [word.replace("_", " ") for word in text.split()]


def pairs(text: str) -> tuple[tuple[str, ...], ...]:
    """`"a:b c:d"` -> `(("a", "b"), ("c", "d"))`; an underscore stands for a space."""
    return tuple(tuple(item.split(":")) for item in listed(text))


GIRLS = listed("""Mary Anna Lucy Emma Lily Rose Sarah Kate Alice Jane Ruth Grace Ella Clara Eva
Nora Maria Julia Laura Helen Emily Sophie Susan Linda Amy Nina Rachel Claire Martha Ellen Molly
Ruby Daisy Hannah Olivia Mia Zoe Lisa Diana Karen Betty Carol Julie Heather Alison Amanda Angela
Barbara Catherine Christine Cindy Elena Elizabeth Eleanor Fiona Holly Irene Jennifer Jessica Joan
Judy Kelly Marie Megan Melissa Michelle Nancy Naomi Pamela Rebecca Rita Samantha Sandra Sara
Sharon Sofia Stephanie Teresa Vera Vanessa Wendy Zara""")
BOYS = listed("""John Tom Ben Sam Max Jack Peter Paul David James Mark Luke Adam Henry George Leo
Oscar Simon Daniel Michael Robert William Thomas Charles Frank Fred Billy Tim Bob Joe Dan Jim
Harry Eric Kevin Martin Victor Oliver Jacob Noah Steve Alex Andrew Brian Aaron Adrian Albert Alan
Anthony Arthur Benjamin Bruce Carl Chris Colin Craig Dennis Derek Donald Douglas Edward Ethan
Felix Gary Gerald Gordon Gregory Howard Hugo Ian Jason Jeff Jerry Jonathan Joseph Joshua Keith
Kenneth Larry Lewis Louis Matthew Nathan Neil Nick Nicholas Owen Patrick Philip Ralph Raymond
Richard Roger Ronald Ross Roy Ryan Scott Sean Stephen Stuart Todd Tony Walter Wayne""")
SURNAMES = listed("""Smith Brown Green White Black King Hill Wood Stone Cook Baker Taylor Young
Miller Jones Wilson Clark Lewis Walker Wright Turner Cooper Parker Carter Collins Morgan Bell
Bailey Fisher Hunter Marsh Fox Rice Price Long West North Lane Field Forest Brooks Rivers Snow""")

COLORS = listed("red blue green yellow white black brown pink purple orange gray golden silver")
NUMBERS = listed("""zero one two three four five six seven eight nine ten eleven twelve thirteen
fourteen fifteen sixteen seventeen eighteen nineteen twenty""")
ORDINALS = listed("first second third fourth fifth sixth seventh eighth ninth tenth")
DAYS = listed("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
MONTHS = listed("""January February March April May June July August September October November
December""")
SEASONS = listed("spring summer autumn winter")
LETTERS = listed("A B C D E F G H I J K L M N O P Q R S T U V W X Y Z")

# What a person can hold, with its plural.
THINGS = pairs("""ball:balls book:books cup:cups hat:hats key:keys box:boxes lamp:lamps doll:dolls
kite:kites drum:drums bell:bells coin:coins ring:rings map:maps pen:pens pencil:pencils bag:bags
basket:baskets bottle:bottles bowl:bowls plate:plates spoon:spoons fork:forks knife:knives
brush:brushes blanket:blankets pillow:pillows coat:coats shirt:shirts dress:dresses shoe:shoes
boot:boots sock:socks glove:gloves scarf:scarves umbrella:umbrellas watch:watches clock:clocks
mirror:mirrors candle:candles letter:letters card:cards picture:pictures photo:photos toy:toys
car:cars truck:trucks boat:boats train:trains bike:bikes rope:ropes stick:sticks stone:stones
shell:shells feather:feathers leaf:leaves flower:flowers seed:seeds nut:nuts hammer:hammers
nail:nails saw:saws ladder:ladders bucket:buckets shovel:shovels broom:brooms guitar:guitars
piano:pianos violin:violins flute:flutes camera:cameras phone:phones radio:radios
computer:computers ticket:tickets flag:flags mask:masks crown:crowns sword:swords shield:shields
button:buttons needle:needles chain:chains wheel:wheels engine:engines balloon:balloons
puzzle:puzzles story:stories song:songs poem:poems gift:gifts present:presents jar:jars pot:pots
pan:pans towel:towels soap:soaps helmet:helmets jacket:jackets sweater:sweaters belt:belts
necklace:necklaces bracelet:bracelets purse:purses wallet:wallets envelope:envelopes stamp:stamps
diary:diaries notebook:notebooks magazine:magazines newspaper:newspapers painting:paintings
statue:statues trumpet:trumpets whistle:whistles robot:robots rocket:rockets marble:marbles
dice:dice costume:costumes wig:wigs lantern:lanterns torch:torches match:matches bulb:bulbs
battery:batteries cable:cables wire:wires tube:tubes pipe:pipes hook:hooks knot:knots
ribbon:ribbons string:strings thread:threads carpet:carpets curtain:curtains cushion:cushions
vase:vases tray:trays kettle:kettles mug:mugs barrel:barrels crate:crates trunk:trunks tent:tents
sail:sails paddle:paddles net:nets medal:medals trophy:trophies badge:badges pebble:pebbles
crystal:crystals diamond:diamonds pearl:pearls arrow:arrows bow:bows axe:axes spade:spades
tablet:tablets screen:screens""")
ANIMALS = pairs("""cat:cats dog:dogs cow:cows horse:horses pig:pigs sheep:sheep goat:goats
duck:ducks hen:hens goose:geese bird:birds mouse:mice rat:rats rabbit:rabbits fox:foxes
wolf:wolves bear:bears lion:lions tiger:tigers monkey:monkeys elephant:elephants frog:frogs
snake:snakes turtle:turtles fish:fish shark:sharks whale:whales dolphin:dolphins bee:bees ant:ants
spider:spiders butterfly:butterflies owl:owls eagle:eagles crow:crows parrot:parrots
penguin:penguins swan:swans deer:deer squirrel:squirrels camel:camels donkey:donkeys
kitten:kittens puppy:puppies lamb:lambs calf:calves chicken:chickens worm:worms bat:bats
crab:crabs snail:snails giraffe:giraffes zebra:zebras panda:pandas leopard:leopards
kangaroo:kangaroos buffalo:buffaloes moose:moose seal:seals otter:otters beaver:beavers
hamster:hamsters pigeon:pigeons sparrow:sparrows robin:robins hawk:hawks falcon:falcons
raven:ravens seagull:seagulls ostrich:ostriches lizard:lizards crocodile:crocodiles toad:toads
salmon:salmon octopus:octopuses lobster:lobsters beetle:beetles moth:moths dragonfly:dragonflies
grasshopper:grasshoppers pony:ponies bull:bulls ox:oxen rooster:roosters turkey:turkeys
hedgehog:hedgehogs mole:moles gorilla:gorillas""")
FOODS = pairs("""apple:apples pear:pears orange:oranges banana:bananas lemon:lemons
cherry:cherries grape:grapes peach:peaches plum:plums berry:berries melon:melons tomato:tomatoes
potato:potatoes carrot:carrots onion:onions bean:beans mushroom:mushrooms egg:eggs cake:cakes
cookie:cookies pie:pies sandwich:sandwiches pizza:pizzas sausage:sausages pancake:pancakes
strawberry:strawberries mango:mangoes olive:olives pepper:peppers pumpkin:pumpkins
cabbage:cabbages cucumber:cucumbers biscuit:biscuits muffin:muffins waffle:waffles donut:donuts
burger:burgers noodle:noodles dumpling:dumplings candy:candies snack:snacks roll:rolls loaf:loaves
steak:steaks radish:radishes coconut:coconuts almond:almonds""")
EATABLES = listed("""bread cheese butter milk honey rice soup meat salt sugar juice tea coffee
water ham pasta flour cream oil jam yogurt spinach garlic corn wheat ginger chocolate vinegar tofu
lettuce salad lemonade beef""")
PEOPLE = pairs("""man:men woman:women child:children boy:boys girl:girls baby:babies
friend:friends teacher:teachers doctor:doctors farmer:farmers king:kings queen:queens
prince:princes princess:princesses sailor:sailors soldier:soldiers baker:bakers painter:painters
singer:singers driver:drivers pilot:pilots nurse:nurses student:students neighbor:neighbors
judge:judges writer:writers hunter:hunters artist:artists actor:actors dancer:dancers
musician:musicians poet:poets lawyer:lawyers engineer:engineers scientist:scientists
reporter:reporters photographer:photographers waiter:waiters barber:barbers butcher:butchers
carpenter:carpenters builder:builders tailor:tailors gardener:gardeners shepherd:shepherds
captain:captains guard:guards servant:servants knight:knights wizard:wizards witch:witches
giant:giants pirate:pirates thief:thieves clown:clowns athlete:athletes runner:runners
coach:coaches player:players guest:guests stranger:strangers traveler:travelers tourist:tourists
customer:customers manager:managers boss:bosses worker:workers lady:ladies gentleman:gentlemen
parent:parents twin:twins cousin:cousins grandson:grandsons hero:heroes leader:leaders
mayor:mayors librarian:librarians dentist:dentists firefighter:firefighters""")
SCENERY = pairs("""house:houses tree:trees river:rivers mountain:mountains hill:hills lake:lakes
road:roads bridge:bridges garden:gardens field:fields forest:forests island:islands city:cities
village:villages street:streets school:schools church:churches castle:castles tower:towers
wall:walls door:doors window:windows room:rooms table:tables chair:chairs bed:beds shelf:shelves
roof:roofs floor:floors star:stars cloud:clouds farm:farms shop:shops store:stores park:parks
station:stations ship:ships plane:planes bus:buses fence:fences gate:gates cave:caves
beach:beaches pond:ponds stream:streams waterfall:waterfalls valley:valleys desert:deserts
jungle:jungles meadow:meadows cliff:cliffs rock:rocks path:paths tunnel:tunnels corner:corners
square:squares fountain:fountains harbor:harbors lighthouse:lighthouses palace:palaces
temple:temples cottage:cottages cabin:cabins barn:barns stable:stables factory:factories
mill:mills mine:mines prison:prisons court:courts tavern:taverns hall:halls kitchen:kitchens
bathroom:bathrooms cellar:cellars attic:attics balcony:balconies stair:stairs chimney:chimneys
ceiling:ceilings bench:benches desk:desks sofa:sofas pillar:pillars bush:bushes branch:branches
root:roots planet:planets wave:waves shore:shores coast:coasts volcano:volcanoes glacier:glaciers
canal:canals dam:dams well:wells orchard:orchards vineyard:vineyards""")
COUNTABLE = THINGS + ANIMALS + FOODS + PEOPLE + SCENERY
NOUNS = tuple(dict.fromkeys(one for one, _ in COUNTABLE))

PLACES = listed("""park garden school store shop market library beach forest farm castle museum
zoo river lake kitchen house station village city church field hospital office theater bakery
restaurant playground hotel bank airport island mountain bridge town palace meadow valley harbor
circus gallery café stadium gym pool campsite lighthouse temple cottage barn factory orchard
desert jungle cinema pharmacy court square""")
CONTAINERS = listed("""box bag basket drawer bucket cupboard jar chest pocket bowl closet suitcase
trunk crate barrel purse tin wallet backpack cabinet""")
SPOTS = listed("""tree table bed chair bridge bench sofa bush hill fence window door wall rock
gate well stairs fountain desk statue pillar""")

# Base form, past, third person: verbs that need nothing after them.
ACTS = pairs("""walk:walked:walks run:ran:runs jump:jumped:jumps sing:sang:sings
dance:danced:dances swim:swam:swims sleep:slept:sleeps laugh:laughed:laughs cry:cried:cries
play:played:plays work:worked:works read:read:reads write:wrote:writes draw:drew:draws
cook:cooked:cooks eat:ate:eats drink:drank:drinks talk:talked:talks listen:listened:listens
wait:waited:waits smile:smiled:smiles shout:shouted:shouts climb:climbed:climbs fall:fell:falls
fly:flew:flies ride:rode:rides drive:drove:drives sit:sat:sits stand:stood:stands
think:thought:thinks dream:dreamed:dreams travel:traveled:travels study:studied:studies
learn:learned:learns teach:taught:teaches speak:spoke:speaks fight:fought:fights win:won:wins
lose:lost:loses begin:began:begins stop:stopped:stops rest:rested:rests hide:hid:hides
shine:shone:shines shake:shook:shakes kneel:knelt:kneels crawl:crawled:crawls skate:skated:skates
ski:skied:skis march:marched:marches wander:wandered:wanders hurry:hurried:hurries
rush:rushed:rushes stumble:stumbled:stumbles slip:slipped:slips whisper:whispered:whispers
scream:screamed:screams yell:yelled:yells sigh:sighed:sighs cough:coughed:coughs
sneeze:sneezed:sneezes yawn:yawned:yawns wake:woke:wakes bathe:bathed:bathes wave:waved:waves
nod:nodded:nods bow:bowed:bows wink:winked:winks stare:stared:stares blink:blinked:blinks
breathe:breathed:breathes sweat:sweated:sweats shiver:shivered:shivers grow:grew:grows
argue:argued:argues pray:prayed:prays joke:joked:jokes camp:camped:camps sail:sailed:sails
hike:hiked:hikes practice:practiced:practices relax:relaxed:relaxes sneak:sneaked:sneaks""")
# Verbs that take a thing.
DEEDS = pairs("""see:saw:sees find:found:finds buy:bought:buys sell:sold:sells make:made:makes
take:took:takes bring:brought:brings give:gave:gives hold:held:holds carry:carried:carries
break:broke:breaks fix:fixed:fixes wash:washed:washes paint:painted:paints clean:cleaned:cleans
open:opened:opens close:closed:closes lift:lifted:lifts throw:threw:throws catch:caught:catches
push:pushed:pushes pull:pulled:pulls like:liked:likes love:loved:loves want:wanted:wants
need:needed:needs keep:kept:keeps build:built:builds cut:cut:cuts choose:chose:chooses
touch:touched:touches watch:watched:watches use:used:uses forget:forgot:forgets
remember:remembered:remembers hear:heard:hears send:sent:sends show:showed:shows
steal:stole:steals drop:dropped:drops borrow:borrowed:borrows lend:lent:lends
return:returned:returns collect:collected:collects count:counted:counts measure:measured:measures
weigh:weighed:weighs fill:filled:fills empty:emptied:empties wrap:wrapped:wraps fold:folded:folds
tie:tied:ties hang:hung:hangs pack:packed:packs share:shared:shares polish:polished:polishes
repair:repaired:repairs destroy:destroyed:destroys burn:burned:burns bury:buried:buries
discover:discovered:discovers notice:noticed:notices admire:admired:admires
describe:described:describes copy:copied:copies order:ordered:orders deliver:delivered:delivers
receive:received:receives accept:accepted:accepts refuse:refused:refuses hate:hated:hates
miss:missed:misses guard:guarded:guards protect:protected:protects follow:followed:follows
chase:chased:chases kick:kicked:kicks hit:hit:hits shut:shut:shuts lock:locked:locks
press:pressed:presses squeeze:squeezed:squeezes move:moved:moves turn:turned:turns
raise:raised:raises lower:lowered:lowers tear:tore:tears bend:bent:bends feel:felt:feels
smell:smelled:smells taste:tasted:tastes name:named:names mention:mentioned:mentions
prepare:prepared:prepares decorate:decorated:decorates invent:invented:invents
design:designed:designs""")

OPPOSITES = pairs("""hot:cold big:small tall:short fast:slow old:young new:old happy:sad light:dark
day:night up:down left:right good:bad rich:poor hard:soft strong:weak full:empty open:closed
wet:dry clean:dirty early:late long:short loud:quiet high:low near:far heavy:light thick:thin
wide:narrow black:white first:last inside:outside above:below before:after true:false yes:no
more:less easy:difficult sweet:bitter brave:afraid love:hate win:lose buy:sell give:take push:pull
begin:end start:stop come:go laugh:cry always:never everything:nothing front:back top:bottom
summer:winter north:south east:west king:queen man:woman boy:girl brother:sister mother:father
son:daughter uncle:aunt husband:wife remember:forget question:answer friend:enemy peace:war
life:death smooth:rough deep:shallow sharp:dull safe:dangerous rude:polite alive:dead asleep:awake
beautiful:ugly cheap:expensive arrive:leave float:sink accept:refuse""")
COMPARED = pairs("""big:bigger:biggest small:smaller:smallest tall:taller:tallest
short:shorter:shortest fast:faster:fastest slow:slower:slowest old:older:oldest
young:younger:youngest hot:hotter:hottest cold:colder:coldest long:longer:longest
strong:stronger:strongest weak:weaker:weakest high:higher:highest low:lower:lowest
hard:harder:hardest soft:softer:softest deep:deeper:deepest wide:wider:widest rich:richer:richest
poor:poorer:poorest dark:darker:darkest light:lighter:lightest happy:happier:happiest
easy:easier:easiest good:better:best bad:worse:worst near:nearer:nearest clean:cleaner:cleanest
cheap:cheaper:cheapest loud:louder:loudest quiet:quieter:quietest thick:thicker:thickest
thin:thinner:thinnest sweet:sweeter:sweetest bright:brighter:brightest warm:warmer:warmest
cool:cooler:coolest kind:kinder:kindest brave:braver:bravest smart:smarter:smartest
funny:funnier:funniest heavy:heavier:heaviest early:earlier:earliest late:later:latest
busy:busier:busiest safe:safer:safest sharp:sharper:sharpest smooth:smoother:smoothest
great:greater:greatest""")
QUALITIES = listed("""big small old new little tall long short round heavy light soft hard warm
cold wet dry clean dirty shiny pretty broken strange bright dark beautiful wooden tiny huge empty
famous special simple lovely smooth sharp thick thin magic cheap expensive modern ancient rare
colorful plain perfect useful useless hollow solid flat curved pointed folded painted carved
polished dusty rusty sticky greasy fragile sturdy delicate elegant fancy ordinary unusual
mysterious secret favorite precious valuable foreign wonderful amazing terrible ugly crooked
striped spotted fresh frozen burnt spare missing""")
TEMPERS = listed("""kind brave clever shy quiet lazy gentle polite friendly curious honest careful
proud funny wise smart strong cheerful patient lonely young old little poor rich generous selfish
stubborn loyal fair humble calm serious jealous greedy bold helpful playful careless thoughtful
talented famous noble cruel stern charming gifted silent busy""")
FEELINGS = listed("""happy sad angry tired hungry thirsty afraid proud excited surprised worried
bored lonely calm cold sick glad nervous joyful grateful amazed confused disappointed jealous
ashamed upset relieved hopeful frightened furious miserable sleepy curious thankful satisfied
delighted shocked""")
WEATHER = listed("""sunny rainy windy cloudy cold warm hot foggy snowy stormy chilly humid mild
dry wet bright icy calm""")

SOUNDS = pairs("""cow:moo dog:woof cat:meow sheep:baa duck:quack pig:oink horse:neigh lion:roar
bee:buzz snake:hiss owl:hoot mouse:squeak wolf:howl frog:croak crow:caw bird:tweet hen:cluck""")
YOUNG = pairs("""dog:puppy cat:kitten cow:calf sheep:lamb duck:duckling horse:foal pig:piglet
hen:chick bear:cub lion:cub goat:kid frog:tadpole deer:fawn swan:cygnet""")
HOMES = pairs("""bird:nest bee:hive spider:web fish:water dog:kennel horse:stable rabbit:burrow
bear:cave ant:hill lion:den king:castle farmer:farm sailor:ship pig:sty""")
TINTS = pairs("""grass:green snow:white coal:black blood:red milk:white gold:yellow chocolate:brown
cherries:red lemons:yellow carrots:orange leaves:green clouds:white mud:brown tomatoes:red
bananas:yellow frogs:green crows:black swans:white fire:red salt:white bread:brown ash:gray
elephants:gray pumpkins:orange peas:green""")
JOBS = pairs("""baker:bread:bakes farmer:corn:grows painter:pictures:paints singer:songs:sings
writer:books:writes teacher:children:teaches doctor:people:helps pilot:planes:flies
driver:buses:drives sailor:ships:sails fisherman:fish:catches builder:houses:builds
tailor:clothes:makes cook:meals:cooks shepherd:sheep:keeps postman:letters:brings
gardener:flowers:plants judge:laws:reads hunter:deer:hunts miner:coal:digs""")
TOOLS = pairs("""cut:knife write:pen dig:shovel sweep:broom paint:brush sew:needle see:glasses
open_the_door:key hit_a_nail:hammer climb:ladder eat_soup:spoon cut_paper:scissors tell_time:clock
take_pictures:camera find_the_way:map stay_dry:umbrella""")
KINDS = {
    "animal": "cat dog cow horse lion tiger bear wolf rabbit goat elephant monkey camel donkey",
    "bird": "eagle owl crow parrot duck goose swan penguin robin pigeon hawk raven",
    "fish": "shark salmon trout tuna cod carp",
    "insect": "bee ant fly butterfly beetle wasp moth",
    "fruit": "apple banana pear cherry grape lemon peach plum melon mango",
    "vegetable": "carrot onion potato cabbage bean pea pepper",
    "flower": "rose lily daisy tulip violet iris orchid",
    "tree": "oak pine maple birch willow palm cedar elm",
    "color": "red blue green yellow purple pink brown black white",
    "tool": "hammer saw shovel axe drill wrench knife",
    "metal": "gold silver iron copper tin lead steel zinc",
    "drink": "water milk tea coffee juice wine beer lemonade",
    "sport": "football tennis golf hockey basketball baseball rugby swimming",
    "instrument": "piano guitar violin flute drum trumpet harp",
    "vehicle": "car bus truck train plane bike ship tractor",
    "building": "house school church castle hospital tower hotel museum",
    "planet": "Earth Mars Venus Jupiter Saturn Mercury Neptune",
    "city": "Paris London Rome Berlin Madrid Tokyo Vienna Moscow Athens",
    "country": "France Spain Italy Germany Japan China India Egypt Greece",
    "language": "French Spanish German Italian English Greek Russian",
    "number": "one two three four five six seven eight nine ten",
    "month": "January March April June July August October December",
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "shape": "circle square triangle star rectangle cube oval",
    "season": "spring summer autumn winter",
    "meal": "breakfast lunch dinner supper",
    "game": "chess poker checkers dominoes",
    "piece of clothing": "shirt coat hat dress sock scarf jacket sweater",
    "piece of furniture": "table chair bed sofa desk shelf",
    "part of the body": "arm leg hand foot head nose ear eye mouth knee finger",
}
COUNTRIES = pairs("""France:Paris:French Spain:Madrid:Spanish Italy:Rome:Italian
Germany:Berlin:German England:London:English Japan:Tokyo:Japanese China:Beijing:Chinese
Russia:Moscow:Russian Greece:Athens:Greek Egypt:Cairo:Arabic Austria:Vienna:German
Portugal:Lisbon:Portuguese Poland:Warsaw:Polish Sweden:Stockholm:Swedish Norway:Oslo:Norwegian
Denmark:Copenhagen:Danish Finland:Helsinki:Finnish Ireland:Dublin:English Turkey:Ankara:Turkish
Hungary:Budapest:Hungarian Iran:Tehran:Persian Iraq:Baghdad:Arabic Syria:Damascus:Arabic
Cuba:Havana:Spanish Peru:Lima:Spanish Mexico:Mexico_City:Spanish Chile:Santiago:Spanish
Canada:Ottawa:English Australia:Canberra:English Kenya:Nairobi:English Thailand:Bangkok:Thai
Vietnam:Hanoi:Vietnamese Korea:Seoul:Korean Ukraine:Kiev:Ukrainian Israel:Jerusalem:Hebrew
Belgium:Brussels:French Netherlands:Amsterdam:Dutch Argentina:Buenos_Aires:Spanish
Iceland:Reykjavik:Icelandic Scotland:Edinburgh:English""")
# English, French, Spanish, German.
TRANSLATIONS = pairs("""dog:chien:perro:Hund cat:chat:gato:Katze house:maison:casa:Haus
water:eau:agua:Wasser bread:pain:pan:Brot milk:lait:leche:Milch red:rouge:rojo:rot
blue:bleu:azul:blau green:vert:verde:grün white:blanc:blanco:weiß black:noir:negro:schwarz
one:un:uno:eins two:deux:dos:zwei three:trois:tres:drei four:quatre:cuatro:vier
man:homme:hombre:Mann woman:femme:mujer:Frau child:enfant:niño:Kind book:livre:libro:Buch
sun:soleil:sol:Sonne moon:lune:luna:Mond tree:arbre:árbol:Baum hand:main:mano:Hand day:jour:día:Tag
night:nuit:noche:Nacht good:bon:bueno:gut big:grand:grande:groß king:roi:rey:König
friend:ami:amigo:Freund bird:oiseau:pájaro:Vogel horse:cheval:caballo:Pferd fish:poisson:pez:Fisch
table:table:mesa:Tisch door:porte:puerta:Tür city:ville:ciudad:Stadt street:rue:calle:Straße
fire:feu:fuego:Feuer earth:terre:tierra:Erde apple:pomme:manzana:Apfel yes:oui:sí:ja no:non:no:nein
love:amour:amor:Liebe life:vie:vida:Leben mother:mère:madre:Mutter father:père:padre:Vater""")
TONGUES = ("French", "Spanish", "German")

EXTRA_WORDS = listed("""sun moon sky rain snow wind fire ice storm earth ocean sea wave sand rock
grass root branch fruit corn wheat wood iron glass paper cloth silk cotton leather gold silver
money price morning evening night noon week month year hour minute second time summer winter music
sound voice word name line page question answer idea plan dream secret truth lie hope fear joy
peace war law power world country land town home family mother father sister brother uncle aunt
cousin grandmother grandfather head face eye ear nose mouth tooth tongue neck arm hand finger leg
foot knee heart bone skin hair blood body mind game team race prize party holiday trip journey
path corner middle side end top bottom edge north south east west left right piece part half group
pair number letter color shape size weight height circle square triangle dawn dusk midnight today
tomorrow yesterday weekend century moment season birthday wedding funeral festival carnival
ceremony dance concert lesson homework exam test grade class club crowd audience neighbor citizen
army navy battle victory defeat enemy spy hero legend myth magic spell curse ghost monster dragon
fairy angel devil heaven hell soul spirit faith religion science art history math language grammar
sentence paragraph chapter title author poem rhyme melody rhythm drama comedy tragedy scene stage
actor film movie news report message signal sign symbol code rule order duty task job career
profit debt wage salary tax bank fortune treasure reward gift loan cost bill coin market trade
goods cargo ship anchor deck harbor tide current breeze thunder lightning fog mist dew frost hail
shadow darkness sunlight flame smoke ash dust mud clay marble brick concrete steel copper bronze
tin lead rubber plastic wool fur velvet linen thread button zipper sleeve collar pocket shoelace
heel sole chin cheek forehead eyebrow lip throat shoulder elbow wrist thumb chest stomach hip
ankle toe brain lung liver muscle nerve health illness fever pain wound medicine cure poison
breath sleep rest hunger thirst taste smell touch sight hearing memory thought opinion belief
doubt reason cause effect result success failure chance luck risk danger safety courage pride
shame guilt anger sadness happiness surprise beauty kindness honesty patience wisdom youth age
childhood friendship marriage freedom justice crime prison judge jury witness proof promise vow
excuse apology advice warning joke riddle rumor gossip quarrel argument agreement deal contract
map route highway railway airport runway pilot flight luggage passport border customs hotel lobby
elevator staircase hallway basement roof chimney fireplace stove oven sink faucet refrigerator
cupboard shelf drawer breakfast lunch dinner supper dessert recipe menu flavor spice pinch slice
spoonful football soccer tennis golf hockey chess poker swimming wrestling boxing archery marathon
score goal referee whistle champion opponent captain coach stadium equator pole continent gulf bay
cape peninsula canyon plain swamp marsh oasis dune reef atom molecule electricity energy gravity
magnet telescope microscope laboratory experiment computer keyboard mouse internet website
password robot satellite rocket planet comet galaxy universe""")
POOL = tuple(
    dict.fromkeys(
        [*NOUNS, *EXTRA_WORDS, *COLORS, *NUMBERS[1:], *QUALITIES, *TEMPERS, *FEELINGS, *EATABLES]
        + [verb for verb, _, _ in ACTS + DEEDS]
        + [word for pair in OPPOSITES for word in pair]
    )
)
