"""Promises of a state: exact copies, serialisation, growth, clear errors, a finished game that stays finished."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest
from texts import BREEDERS, BREEDERS_LEVEL, PUSH, PUSH_LEVEL, game, positions

import pcg
from pcg.engine.state import Outcome
from pcg.engine.vgdl.diagnostics import PcgError

pytestmark = pytest.mark.kernel


@pytest.fixture
def push():
    return game(PUSH, PUSH_LEVEL)


def played(state, *actions):
    for action in actions:
        state.advance(action)
    return state


def test_a_box_is_pushed_into_a_hole_and_the_game_is_won(push):
    state = played(push.start(0, 1), "RIGHT", "RIGHT", "UP", "RIGHT")
    assert positions(state, "box") == [(40, 10)]
    assert state.winner is Outcome.NO_WINNER
    state = played(push.start(0, 1), "DOWN", "RIGHT", "UP", "DOWN", "UP")
    assert not state.is_over
    state = push.start("wwwww\nwA..w\nw.bow\nwwwww", 1)
    played(state, "DOWN", "RIGHT")
    assert state.is_over and state.winner is Outcome.PLAYER_WINS and state.score == 1
    assert positions(state, "box") == []


def test_advancing_a_finished_game_changes_nothing(push):
    state = played(push.start("wwwww\nwA..w\nw.bow\nwwwww", 1), "DOWN", "RIGHT")
    before = state.to_bytes()
    state.advance("LEFT")
    assert state.to_bytes() == before
    assert state.actions == ()


def test_escape_ends_the_game_without_a_winner(push):
    state = played(push.start(), "ESCAPE")
    assert state.is_over and state.winner is Outcome.NO_WINNER


def test_a_timeout_ends_at_the_tick_it_names(push):
    state = push.start()
    while not state.is_over:
        state.advance("NIL")
    assert state.tick == 50 and state.winner is Outcome.PLAYER_LOSES


def test_copies_are_independent_and_equal(push):
    state = played(push.start(), "RIGHT")
    other = state.copy()
    assert other.key() == state.key() and other.to_bytes() == state.to_bytes()
    other.advance("RIGHT")
    assert state.tick == 0 and other.tick == 1
    assert positions(state, "avatar") != positions(other, "avatar")
    del state
    assert positions(other, "avatar") == [(30, 10)]


def test_many_copies_can_come_and_go(push):
    state = push.start()
    for _ in range(5):
        held = [state.copy() for _ in range(300)]
        for k, copy in enumerate(held):
            played(copy, *(["RIGHT"] * (k % 4)))
        assert len({c.tick for c in held}) == 4
    assert state.tick == -1


def test_the_key_forgets_how_a_position_was_reached(push):
    one = played(push.start(), "RIGHT", "LEFT", "RIGHT")
    assert one.key() != played(push.start(), "NIL", "NIL").key()
    # a Timeout makes time matter, so only the same tick can be equal
    other = played(push.start(), "NIL", "NIL", "RIGHT")
    assert one.key() == other.key()


def test_a_state_survives_serialisation(push):
    state = played(push.start(0, 5), "RIGHT", "RIGHT", "LEFT")
    again = push.restore(state.to_bytes())
    assert again.to_bytes() == state.to_bytes()
    assert again.events == state.events and len(state.events) > 0
    played(state, "DOWN", "RIGHT")
    played(again, "DOWN", "RIGHT")
    assert again.to_bytes() == state.to_bytes()


def test_a_serialised_state_restores_in_another_process(push, tmp_path):
    state = played(game(BREEDERS, BREEDERS_LEVEL).start(0, 3), *["LEFT"] * 20)
    (tmp_path / "state").write_bytes(state.to_bytes())
    (tmp_path / "game").write_text(BREEDERS)
    program = (
        "import sys; from pathlib import Path; from pcg.engine.game import load; folder = Path(sys.argv[1])\n"
        "state = load((folder / 'game').read_text()).restore((folder / 'state').read_bytes())\n"
        "[state.advance('UP') for _ in range(20)]; sys.stdout.buffer.write(state.to_bytes())"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, check=True)
    assert done.stdout == played(state, *["UP"] * 20).to_bytes()


@pytest.mark.parametrize("spoil", [lambda b: b[:-3], lambda b: b"x" + b, lambda b: b"", lambda b: b[:40]])
def test_spoilt_bytes_are_refused(push, spoil):
    with pytest.raises(PcgError):
        push.restore(spoil(push.start().to_bytes()))


def test_a_state_of_another_game_is_refused(push):
    data = game(BREEDERS, BREEDERS_LEVEL).start().to_bytes()
    with pytest.raises(PcgError, match="another game"):
        push.restore(data)


def test_a_header_that_lies_about_its_layout_is_refused(push):
    from pcg.engine.kernel import layout

    data = bytearray(push.start().to_bytes())
    start = len(data) - _used(push)
    data[start + layout.STATE.fields["at_sprites"][1]] ^= 0xFF
    with pytest.raises(PcgError):
        push.restore(bytes(data))


def _used(push) -> int:
    state = push.start()
    head = state.context.header(state.address)
    return int(head["at_sprites"]) + int(head["slots"]) * push.tables.stride


def test_a_level_that_outgrows_its_block_continues_in_a_larger_one():
    breeders = game(BREEDERS, BREEDERS_LEVEL)
    state = breeders.start(0, 9)
    room = state._arena.room
    for _ in range(40):
        state.advance("NIL")
    assert state._arena.room > room
    assert len(state.sprites("bee")) == 16 * 40
    # the same play in a block that was large from the start
    from pcg.engine.state import State

    roomy = State(breeders, state.context, 2048)
    from pcg.engine.kernel.runtime import invoke3

    first = breeders.start(0, 9)
    invoke3(state.context.copy_address, state.context.address, roomy.address, first.address)
    for _ in range(40):
        roomy.advance("NIL")
    assert [repr(s) for s in roomy.sprites()] == [repr(s) for s in state.sprites()]
    assert roomy.rng == state.rng


def test_same_seed_same_play_and_reseeding_changes_the_future():
    breeders = game(BREEDERS, BREEDERS_LEVEL)
    one, two = breeders.start(0, 4), breeders.start(0, 4)
    played(one, *["UP"] * 10)
    played(two, *["UP"] * 10)
    assert one.to_bytes() == two.to_bytes()
    two.reseed(99)
    played(one, *["UP"] * 3)
    played(two, *["UP"] * 3)
    assert positions(one, "bee") != positions(two, "bee")


def test_unknown_actions_and_sprites_are_named_in_the_error(push):
    with pytest.raises(PcgError, match="did you mean `LEFT`"):
        push.start().advance("LEFTT")
    with pytest.raises(PcgError, match="out of range"):
        push.start().advance(7)
    with pytest.raises(PcgError, match="did you mean `box`"):
        push.start().sprites("boxx")
    with pytest.raises(PcgError, match="has no level 3"):
        push.start(3)
    with pytest.raises(PcgError, match="2 actions for 1 players"):
        push.start().advance(("LEFT", "RIGHT"))


def test_what_an_avatar_cannot_do_counts_as_nil(push):
    state = played(push.start(), "USE")
    assert positions(state, "avatar") == [(10, 10)] and state.tick == 0


def test_events_name_who_met_whom(push):
    state = played(push.start(), "LEFT")
    names = push.tables.names
    assert [(e.tick, names[e.active], names[e.passive]) for e in state.events] == [(0, "avatar", "wall")]


def test_the_grid_lists_type_names_by_row_and_column(push):
    grid = push.start().grid()
    assert len(grid) == 4 and len(grid[0]) == 6
    assert grid[1][1] == ("avatar", "floor") or set(grid[1][1]) == {"avatar", "floor"}
    assert set(grid[2][3]) == {"floor", "hole"}


def test_a_state_renders_as_text_with_what_is_drawn_on_top(push):
    assert push.start().render() == "wwwwww\nwA.b.w\nw..o.w\nwwwwww"
    assert played(push.start(), "DOWN").render() == "wwwwww\nw..b.w\nwA.o.w\nwwwwww"


def test_reprs_can_be_read(push):
    state = push.start()
    assert "tick -1" in repr(state) and "avatar" in repr(state.avatar) and "4" in repr(state.context)


def test_walls_and_floor_are_not_in_the_state(push):
    state = push.start()
    moving = state.context.moving(state.address)
    assert sorted(push.tables.names[int(r["type"])] for r in moving) == ["avatar", "box"]
    assert len(state.sprites()) > 20


def test_states_of_different_levels_need_no_further_compilation(push):
    from pcg.engine.kernel.runtime import EntryPoint

    push.start().advance("LEFT")
    before = {i.name: i._address for i in EntryPoint.registry}
    wide = "w" * 60 + "\n" + ("w" + "A" + "." * 56 + "bw") + "\n" + "w" * 60
    push.start(wide).advance("RIGHT")
    assert {i.name: i._address for i in EntryPoint.registry if i.name in before} == before


def test_sprites_are_plain_values(push):
    avatar = push.start().avatar
    assert pickle.loads(pickle.dumps(avatar)) == avatar
    assert (avatar.w, avatar.h, avatar.category, avatar.resources) == (10, 10, "avatar", {})


@pytest.mark.parametrize("name", ["boxes", "hunt", "invaders"])
def test_rectangles_are_those_of_the_sprites_that_take_part(name):
    state = pcg.load(name).start(level=0, seed=5)
    for _ in range(60):
        shown = [s for s in state.sprites() if not s.disabled]
        assert state.rectangles() == [(s.type, s.x, s.y, s.w, s.h, s.orientation) for s in shown]
        state.advance("USE" if state.tick % 3 else "LEFT")


def test_a_disabled_sprite_has_no_rectangle():
    state = pcg.load("hunt").start(level=0, seed=3)
    while not state.is_over:
        state.advance("RIGHT")
    assert any(s.disabled for s in state.sprites())
    assert len(state.rectangles()) == sum(not s.disabled for s in state.sprites())


def test_a_level_on_which_nothing_stands_has_the_rectangles_of_what_moves():
    alone = game(PUSH.replace("A > floor avatar", "A > avatar").replace(". > floor", ". > box"), "A.")
    state = alone.start(0, 1)
    assert [s.name for s in state.sprites()] == ["avatar", "box"]
    assert [(s.type, s.x, s.y, s.w, s.h, s.orientation) for s in state.sprites()] == state.rectangles()
