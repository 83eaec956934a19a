"""Images hold everything that kernels read of a game, and kernels elsewhere play from them as those here do."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from texts import BREEDERS, BREEDERS_LEVEL, PUSH, PUSH_LEVEL, game

from pcg.engine.arrays import context_record, view_memory
from pcg.engine.game import load
from pcg.engine.kernel import layout as L
from pcg.engine.kernel import protocol
from pcg.engine.kernel.groups import effect_at, own_number
from pcg.engine.kernel.layout import sprite_at
from pcg.engine.kernel.physics import active
from pcg.engine.kernel.runtime import COMPILED, EntryPoint
from pcg.engine.kernel.store import kill
from pcg.engine.native.difference import differences
from pcg.engine.native.image import ADDRESS_FIELDS, ARRAY_FIELDS, MODEL_FUNCTIONS, image_of, used_bytes
from pcg.engine.native.loader import code_for
from pcg.engine.native.replay import Native, Node, Play, random_play
from pcg.engine.vgdl import extensions
from pcg.engine.vgdl.diagnostics import PcgError

GAMES = ["boxes", "duel", "lode_runner", "watchtower", "flyby", "bazaar"]
"""One player and two, with path-finders (lode_runner, watchtower) and without, continuous physics, resources."""

OWN = """BasicGame square_size=10
    SpriteSet
        avatar > MovingAvatar
        patrol > Strider
        stone > Immovable
    InteractionSet
        stone avatar > crack points=3
        patrol EOS > reverseDirection
    LevelMapping
        A > avatar
        p > patrol
        s > stone
    TerminationSet
        Timeout limit=50 win=True
"""


@pytest.fixture(params=GAMES)
def context(request):
    return load(request.param).context(1)


@pytest.fixture
def own_kernels():
    """A class and an effect of a user."""
    from pcg.engine.vgdl.ontology_params import Param

    @extensions.sprite_class("Strider", parent="RandomNPC", help="walks to the right")
    def strider(gm, st, a, action):
        active(gm, st, a, 1.0, 0.0, sprite_at(a).speed)
        return 0

    @extensions.effect(
        "crack",
        help="A breaks",
        params=[Param("points", "int", 1, "how often", "times", (1, 9))],
        needs_first=True,
        kills_first=True,
    )
    def crack(gm, st, e, a, b):
        if own_number(gm, effect_at(gm, e).own_at, 0) > 0:
            kill(gm, st, a, 0)
        return 0

    yield
    extensions.unregister("Strider")
    extensions.unregister("crack")


@pytest.fixture(scope="session")
def build_wasm(tmp_path_factory) -> Path:
    """The engine's kernels as a WebAssembly module."""
    if shutil.which("node") is None:
        pytest.skip("needs Node to run WebAssembly")
    path = tmp_path_factory.mktemp("wasm") / "engine.wasm"
    path.write_bytes(code_for("pcg.engine.kernel", "wasm32"))
    return path


def kept_arrays(context) -> dict[int, np.ndarray]:
    return {a.ctypes.data: a for a in context._keep if isinstance(a, np.ndarray)}


def record_in(image, at: int, dtype: np.dtype):
    return np.frombuffer(image.data, dtype, 1, at - image.base)[0]


# --- what an image holds ---


def test_every_field_that_is_an_address_is_known(context):
    record = context_record(context)
    addresses = {*kept_arrays(context), context.initial, *(i._address for i in EntryPoint.registry if i._address)}
    holding = {name for name in L.CONTEXT.names if int(record[name]) in addresses}
    assert holding == {name for name in ADDRESS_FIELDS if int(record[name])}
    model = view_memory(context, context.model().address, protocol.MODEL, 1)[0]
    assert {name for name in protocol.MODEL.names if int(model[name]) in addresses} == set(MODEL_FUNCTIONS)
    assert int(model["game"]) == context.address


def test_every_array_is_where_the_record_says(context):
    image, kept, record = image_of(context), kept_arrays(context), context_record(context)
    there = record_in(image, image.context, L.CONTEXT)
    for name in ARRAY_FIELDS:
        if int(record[name]) == 0:
            assert int(there[name]) == 0
            continue
        array = kept[int(record[name])]
        start = int(there[name]) - image.base
        assert start % 64 == 0 and 0 < start <= len(image.data) - array.nbytes
        assert image.data[start : start + array.nbytes] == array.tobytes()
    rest = [name for name in L.CONTEXT.names if name not in ADDRESS_FIELDS]
    assert [there[name] for name in rest] == [record[name] for name in rest]


def test_the_state_before_the_first_tick_is_included(context):
    image = image_of(context)
    size = used_bytes(context, context.initial)
    start = image.initial - image.base
    assert int(record_in(image, image.context, L.CONTEXT)["initial"]) == image.initial
    expected = view_memory(context, context.initial, np.uint8, size).tobytes()
    assert image.data[start : start + size] == expected


def test_nothing_is_left_of_what_memory_held_before():
    """Between the fields of some records there is room, which numpy does not clear."""
    images = []
    for value in (1, 2):
        dirt = [np.full(kind.itemsize, value, np.uint8) for kind in (L.CONTEXT, L.TYPE) for _ in range(30)]
        del dirt
        images.append(image_of(game(PUSH, PUSH_LEVEL).context(0)).data)
    assert images[0] == images[1]


def test_no_address_of_this_process_is_left(context):
    known = {*kept_arrays(context), context.address, context.initial}
    known |= {i._address for i in EntryPoint.registry if COMPILED and i._address}  # small numbers without the compiler
    words = np.frombuffer(image_of(context).data, np.int64)
    assert not known & set(words.tolist())


def test_an_image_for_another_base_differs_in_addresses_only(context):
    low, high = image_of(context, 1 << 16), image_of(context, 1 << 24)
    moved = (1 << 24) - (1 << 16)
    changed = np.frombuffer(high.data, np.int64) - np.frombuffer(low.data, np.int64)
    record = record_in(low, low.context, L.CONTEXT)
    held = sum(int(record[name]) != 0 for name in (*ARRAY_FIELDS, "initial"))
    assert set(changed.tolist()) == {0, moved}
    assert np.count_nonzero(changed) == held + 1  # and the game of the model
    assert [f.at - low.base for f in low.functions] == [f.at - high.base for f in high.functions]


def test_functions_are_named_where_their_addresses_belong(context):
    image = image_of(context)
    places = {f.at: f.symbol for f in image.functions}
    assert places[image.context + L.CONTEXT.fields["advance"][1]] == "tick_advance"
    assert places[image.model + protocol.MODEL.fields["copy"][1]] == "tick_copy_state"
    assert all(image.data[at - image.base : at - image.base + 8] == bytes(8) for at in places)


def test_functions_of_users_are_named_as_well(own_kernels):
    context = game(OWN, "A.s..\np....").context(0)
    image = image_of(context)
    record = record_in(image, image.context, L.CONTEXT)
    strider = int(record["types"]) + context.tables.names.index("patrol") * L.TYPE_BYTES
    places = {f.at: f for f in image.functions}
    update = places[strider + L.TYPE.fields["update"][1]]
    effect = places[int(record["extensions"])]
    assert (update.symbol, effect.symbol) == ("test_image_strider", "test_image_crack")
    assert update.module == effect.module == __name__
    assert image.data[update.at - image.base : update.at - image.base + 8] == bytes(8)


def test_a_base_that_is_not_a_line_of_the_cache_is_refused():
    for base in (0, -64, 100):
        with pytest.raises(PcgError, match="positive multiple of 64"):
            image_of(load("boxes").context(0), base)


# --- plays ---


def test_a_replay_is_the_play_of_a_state():
    for name in ("boxes", "duel", "invaders"):
        g = load(name)
        play = random_play(g.players, seed=3, ticks=60)
        (record,) = Native().play(g.context(0), [play])
        state = g.start(0, seed=3)
        for k in range(record.ticks):
            codes = [int(actions[k]) for actions in play.actions]
            state.advance(codes if g.players > 1 else codes[0])
        there = np.frombuffer(Native().block(state.context, play, record.ticks), L.STATE, 1)[0]
        for field in ("rng", "aux", "tick", "score0", "score1", "win0", "ended", "slots", "next_id"):
            assert there[field] == getattr(state.header, field)


def test_replays_do_not_depend_on_what_was_played_before():
    context = game(BREEDERS, BREEDERS_LEVEL).context(0)
    play = random_play(1, 0, 40)
    first, second = Native().play(context, [play, play])
    assert first == second and first.end == "ticks"
    block = Native().block(context, play, 40)
    assert np.frombuffer(block, L.STATE, 1)[0]["room"] > context.room


def test_a_play_ends_with_the_game():
    (record,) = Native().play(game(PUSH, PUSH_LEVEL).context(0), [Play(0, ("0" * 60,))])
    assert record.end == "over" and record.ticks < 60


def test_differences_are_named():
    context = load("boxes").context(0)
    one = Native().block(context, random_play(1, 0, 5), 5)
    assert differences(context, one, one) == []
    head = np.frombuffer(one, L.STATE, 1)[0]
    other = bytearray(one)
    other[L.STATE.fields["tick"][1]] += 1
    other[L.GROUPS_AT + L.GROUP.fields["count"][1]] += 1
    other[int(head["at_sprites"]) + L.SPRITE.fields["x"][1]] ^= 1
    found = differences(context, one, bytes(other))
    assert [line.split(":")[0].split(" ")[0] for line in found] == ["state", "group", "sprite"]
    assert found[0] == "state: tick 4 != 5"


# --- in WebAssembly ---


@pytest.mark.modes
@pytest.mark.parametrize("name", ["boxes", "duel", "lode_runner", "watchtower"])
def test_games_are_the_same_in_webassembly(build_wasm, name):
    g = load(name)
    with Node(build_wasm) as node:
        for level in range(2):
            plays = [random_play(g.players, seed, 100) for seed in range(2)]
            assert node.play(g.context(level), plays) == Native().play(g.context(level), plays)


@pytest.mark.modes
def test_states_that_grow_are_the_same_in_webassembly(build_wasm):
    context = game(BREEDERS, BREEDERS_LEVEL).context(0)
    play = random_play(1, 1, 60)
    with Node(build_wasm) as node:
        assert node.play(context, [play]) == Native().play(context, [play])
        assert node.block(context, play, 60) == Native().block(context, play, 60)


def test_a_function_that_the_module_lacks_is_named(build_wasm, own_kernels):
    with Node(build_wasm) as node, pytest.raises(PcgError, match="no function test_image_"):
        node.play(game(OWN, "A.s..\np....").context(0), [random_play(1, 0, 5)])
