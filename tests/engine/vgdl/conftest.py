"""Small games of our own for the language tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pcg.engine.vgdl import Diagnostic, GameDefinition, check_game, read_game

HERDING = """\
BasicGame square_size=20
    SpriteSet
        grass > Immovable color=GREEN hidden=True
        fence > Immovable color=BROWN
        dog   > ShootAvatar stype=bark color=BLUE
        bark  > Flicker limit=3 singleton=True
        flock >
            lamb > Fleeing stype=dog speed=0.5 cooldown=2
            ram  > RandomNPC cons=3 healthPoints=2
        pen   > Door color=YELLOW

    InteractionSet
        dog flock EOS   > stepBack
        flock fence pen > stepBack
        dog fence       > stepBack
        ram bark        > subtractHealthPoints scoreChangeIfKilled=2
        lamb bark       > transformTo stype=ram

    TerminationSet
        SpriteCounter stype=flock limit=0 win=True
        SpriteCounter stype=dog win=False
        Timeout limit=600 win=False

    LevelMapping
        . > grass
        x > grass fence
        D > grass dog
        l > grass lamb
        r > grass ram
        p > grass pen
"""
HERDING_LEVEL = """\
xxxxxxxx
x......x
x.D..l.x
x...r.px
xxxxxxxx
"""

DUEL = """\
BasicGame no_players=2 no_counters=2 key_handler=Pulse
    SpriteSet
        left  > OrientedAvatar
        right > OrientedAvatar orientation=LEFT
        coin  > Resource limit=5 value=2
        mint  > SpawnPoint stype=coin prob=0.25 cooldown=4 total=9
        trap  > Spreader stype=smoke spreadprob=0.5
        smoke > Flicker limit=8
        wall  > Immovable solid=True

    InteractionSet
        left right wall EOS > stepBack
        right wall EOS      > undoAll notStype=coin,smoke
        coin left           > collectResource scoreChange=1,0 counter=1,0
        coin right          > collectResource scoreChange=0,1 counter=0,1
        smoke TIME          > spawn stype=coin prob=0.5 timer=50 repeating=True
        left smoke          > addTimer timer=5 ftype=transformToAll stype=smoke stypeTo=coin
        left trap           > shieldFrom stype=smoke ftype=addTimer

    TerminationSet
        Timeout limit=500 win=True,True count_score=True

    LevelMapping
        L > left
        R > right
        m > mint
        t > trap
"""
DUEL_LEVEL = """\
wwwwwww
wL m  w
w  t Rw
wwwwwww
"""

GAMES = {"herding": (HERDING, HERDING_LEVEL), "duel": (DUEL, DUEL_LEVEL)}


@pytest.fixture(scope="session")
def own_games() -> dict[str, tuple[str, str]]:
    """Faultless games with a level each: name -> (game text, level text)."""
    return GAMES


@pytest.fixture(params=sorted(GAMES))
def own_game(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Text of a faultless game and of a level for it."""
    return GAMES[request.param]


@pytest.fixture
def herding() -> str:
    return HERDING


@pytest.fixture
def herding_level() -> str:
    return HERDING_LEVEL


def write(
    sprites: str = "", rules: str = "", ends: str = "", mapping: str = "", *, header: str = "BasicGame", space: str = ""
) -> str:
    """A game text from the lines of its sets (without indentation of their own); empty sets are left out."""
    lines = [header]
    sets = {
        "SpriteSet": sprites or "avatar > MovingAvatar",
        "InteractionSet": rules,
        "TerminationSet": ends,
        "LevelMapping": mapping,
        "ParameterSet": space,
    }
    for name, text in sets.items():
        if text:
            lines.append(f"    {name}")
            lines += [f"        {line}" for line in text.strip("\n").split("\n")]
    return "\n".join(lines) + "\n"


@pytest.fixture(name="write")
def _write() -> Callable[..., str]:
    return write


@pytest.fixture
def gvgai() -> Callable[..., GameDefinition]:
    """Writes a game and reads it as the reference does."""
    return lambda *args, **kwargs: read_game(write(*args, **kwargs), reading="gvgai")


@pytest.fixture
def rules_cited() -> Callable[[GameDefinition], list[str]]:
    """The rules of the reference that the warnings of a game cite."""
    return lambda game: [finding.rule for finding in game.diagnostics]


@pytest.fixture
def strict_errors() -> Callable[..., list[Diagnostic]]:
    """The errors of the strict reading in a game that is whole but for the given lines."""

    def check(sprites: str = "", rules: str = "", ends: str = "", mapping: str = "", **more: str) -> list[Diagnostic]:
        text = write(
            sprites or "avatar > MovingAvatar\nrock > Passive",
            rules or "avatar EOS > stepBack",
            ends or "Timeout limit=10 win=True",
            mapping,
            **more,
        )
        return [finding for finding in check_game(text, reading="strict") if finding.severity == "error"]

    return check
