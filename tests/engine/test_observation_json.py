"""The learning track's dictionary: fields, order, types and what is left out."""

from __future__ import annotations

import json
import random

import pytest

from pcg.engine.game import Game, load
from pcg.engine.observation import Observation
from pcg.engine.observation_json import FIELDS, as_json
from pcg.engine.vgdl.diagnostics import PcgError

BEFORE_GRID = [
    "isValidation", "gameScore", "gameTick", "gameWinner", "isGameOver", "worldDimension", "blockSize", "noOfPlayers",
    "avatarSpeed", "avatarOrientation", "avatarPosition", "avatarLastAction", "avatarType", "avatarHealthPoints",
    "avatarMaxHealthPoints", "avatarLimitHealthPoints", "isAvatarAlive", "phase", "availableActions", "avatarResources",
    "observationGrid", "observationGridNum", "observationGridMaxRow", "observationGridMaxCol",
]  # fmt: skip


@pytest.fixture(scope="module")
def dungeon() -> Game:
    return load("dungeon")


def test_fields_stand_in_the_order_of_the_reference(dungeon: Game) -> None:
    message = as_json(dungeon.start(0, 1))
    assert list(message)[: len(BEFORE_GRID)] == BEFORE_GRID
    rest = [name for name in message if name not in BEFORE_GRID]
    assert rest[:6] == [
        "NPCPositions", "NPCPositionsNum", "NPCPositionsMaxRow",
        "immovablePositions", "immovablePositionsNum", "immovablePositionsMaxRow",
    ]  # fmt: skip
    assert FIELDS.keys() <= message.keys()


def test_values_have_the_types_of_the_reference_and_survive_json(dungeon: Game) -> None:
    state = dungeon.start(0, 1)
    for action in ("USE", "LEFT", "DOWN", "RIGHT"):
        state.advance(action)
    message = as_json(state)
    assert json.loads(json.dumps(message)) == message
    assert all(type(message[name]) is kind for name, kind in FIELDS.items())
    assert message["worldDimension"] == [float(state.width * state.block_size), float(state.height * state.block_size)]
    assert message["avatarLastAction"] == "ACTION_RIGHT" and message["gameWinner"] == "NO_WINNER"
    assert message["gameTick"] == 4


def test_an_observation_has_six_fields_in_order(dungeon: Game) -> None:
    message = as_json(dungeon.start(0, 1))
    seen = message["NPCPositions"][0][0]
    assert list(seen) == ["category", "itype", "obsID", "position", "reference", "sqDist"]
    assert seen["category"] == 3 and seen["reference"] == {"x": -1.0, "y": -1.0}
    x, y = seen["position"]["x"], seen["position"]["y"]
    assert seen["sqDist"] == (x + 1) ** 2 + (y + 1) ** 2


def test_grid_and_lists_tell_their_sizes(dungeon: Game) -> None:
    state = dungeon.start(0, 1)
    message = as_json(state)
    grid = message["observationGrid"]
    assert len(grid) == message["observationGridNum"] == state.width
    assert {len(column) for column in grid} == {message["observationGridMaxRow"]} == {state.height}
    assert message["observationGridMaxCol"] == max(len(cell) for column in grid for cell in column)
    assert message["immovablePositionsNum"] == len(message["immovablePositions"])
    assert message["immovablePositionsMaxRow"] == max(len(group) for group in message["immovablePositions"])


def test_a_category_without_sprites_is_left_out_and_its_sizes_are_0() -> None:
    message = as_json(load("boxes").start(0, 1))
    assert "NPCPositions" not in message and "imageArray" not in message
    assert message["NPCPositionsNum"] == message["NPCPositionsMaxRow"] == 0


@pytest.mark.parametrize("name", ["dungeon", "hunt", "rally"])
def test_messages_of_a_play_show_what_the_view_shows_and_stay_as_they_are(name: str) -> None:
    state = load(name).start(0, 1)
    draw = random.Random(name)
    sent = []
    for _ in range(40):
        message = as_json(state)
        view = state.observe()
        assert message["observationGrid"] == [[[_told(seen) for seen in cell] for cell in col] for col in view.grid()]
        lists = [[_told(seen) for seen in group] for group in view.immovables()]
        assert message.get("immovablePositions", []) == lists
        sent.append((message, json.dumps(message)))
        state.advance(draw.randrange(5))
    assert len({text for _, text in sent}) > 5
    assert all(json.dumps(message) == text for message, text in sent)


def _told(seen: Observation) -> dict[str, object]:
    position, reference = ({"x": float(x), "y": float(y)} for x, y in (seen.position, seen.reference))
    return {
        "category": seen.category, "itype": seen.type, "obsID": seen.id, "position": position, "reference": reference,
        "sqDist": seen.square_distance,
    }  # fmt: skip


def test_an_image_goes_first_as_signed_bytes(dungeon: Game) -> None:
    message = as_json(dungeon.start(0, 1), phase="INIT", validation=True, image=b"\x89PNG")
    assert next(iter(message)) == "imageArray" and message["imageArray"] == [-119, 80, 78, 71]
    assert message["isValidation"] is True and message["phase"] == "INIT"


def test_a_score_has_the_precision_of_32_bits() -> None:
    text = """BasicGame square_size=10
        SpriteSet
            coin > Immovable
            avatar > MovingAvatar
        InteractionSet
            coin avatar > killSprite scoreChange=16777217
        LevelMapping
            A > avatar
            c > coin
    """
    state = load(text, ["Ac"]).start(0, 1)
    state.advance("RIGHT")
    assert state.score == 16777217 and as_json(state)["gameScore"] == 16777216.0


def test_an_unknown_phase_is_named(dungeon: Game) -> None:
    with pytest.raises(PcgError, match="unknown phase `PLAY`, expected one of START, INIT, ACT, ABORT, END"):
        as_json(dungeon.start(0, 1), phase="PLAY")
