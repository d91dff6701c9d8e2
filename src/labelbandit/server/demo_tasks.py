"""The statements of the demo: sums, spellings and capitals, true and false."""

from typing import NamedTuple

CLASSES = ["true", "false"]
_CAPITALS = (
    "France Paris Lyon; Italy Rome Milan; Spain Madrid Barcelona; Norway Oslo Bergen; Japan Tokyo Osaka; "
    "Egypt Cairo Alexandria; Peru Lima Cusco; Kenya Nairobi Mombasa; "
    "Canada Ottawa Toronto; Australia Canberra Sydney; Turkey Ankara Istanbul; "
    "Brazil Brasília São-Paulo; Morocco Rabat Casablanca; Vietnam Hanoi Hue; Nigeria Abuja Lagos; Switzerland Bern Zurich; "
    "Poland Warsaw Kraków; Portugal Lisbon Porto; Sweden Stockholm Malmö; Austria Vienna Graz; Greece Athens Patras; "
    "Ireland Dublin Cork; Finland Helsinki Turku; Hungary Budapest Szeged; Cuba Havana Trinidad; Chile Santiago Valparaíso; "
    "India New-Delhi Mumbai; Pakistan Islamabad Karachi; Myanmar Naypyidaw Yangon; Kazakhstan Astana Almaty"
)
_SPELLINGS = (
    "receive recieve; separate seperate; definitely definately; necessary neccessary; accommodate accomodate; rhythm rythm; "
    "embarrass embarass; occurrence occurence; believe beleive; calendar calender; cemetery cemetary; conscience concience; "
    "existence existance; foreign foriegn; gauge guage; harass harrass; independent independant; liaison liason; "
    "millennium millenium; noticeable noticable; privilege priviledge; publicly publically; restaurant restaraunt; "
    "supersede supercede; tomorrow tommorow; until untill; weird wierd; withhold withold; maintenance maintainance; "
    "questionnaire questionaire"
)


class Statement(NamedTuple):
    """Something that is true or false, of one of three kinds."""

    id: str
    kind: str
    text: str
    truth: str


def statements() -> list[Statement]:
    """All of them: sixty of each kind, half of them true, the kinds in turn."""
    kinds = {"sums": _sums(), "spelling": _spellings(), "capitals": _capitals()}
    told = []
    for at in range(60):
        for kind, texts in kinds.items():
            text, true = texts[at]
            told.append(Statement(f"{kind}-{at + 1}", kind, text, CLASSES[0] if true else CLASSES[1]))
    return told


def _sums() -> list[tuple[str, bool]]:
    found = []
    for at in range(60):
        first, second = 12 + (at * 7) % 29, 6 + (at * 5) % 13
        true = at % 2 == 0
        found.append((f"{first} × {second} = {first * second + (0 if true else 10 if at % 3 else -2)}", true))
    return found


def _spellings() -> list[tuple[str, bool]]:
    pairs = [pair.split() for pair in _SPELLINGS.split("; ")]
    return [(f"“{word}” is spelled correctly", word == pair[0]) for pair in pairs for word in pair]


def _capitals() -> list[tuple[str, bool]]:
    found = []
    for entry in _CAPITALS.split("; "):
        country, *cities = (part.replace("-", " ") for part in entry.split())
        found += [(f"{city} is the capital of {country}", at == 0) for at, city in enumerate(cities)]
    return found
