"""The table of votes and its files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences import Vote, count_votes, preferences, read_groups, read_votes, write_votes

VOTES = [
    Vote("p1", "a", "b", "first", time=1.5, first_outcome="win", second_outcome="", seconds=12.25),
    Vote("p1", "b", 'ü, "c"', "neither", question="harder"),
    Vote("p2", "a", "a", "both", check="same"),
]


@pytest.mark.parametrize("name", ["votes.csv", "votes.jsonl"])
def test_votes_come_back_from_a_file_as_they_were(tmp_path: Path, name: str) -> None:
    write_votes(VOTES, tmp_path / name)
    assert read_votes(tmp_path / name) == VOTES


def test_columns_beside_those_of_a_vote_do_not_matter_and_most_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("age,answer,participant,first,second\n33,both,p,a,b\n", encoding="utf-8-sig")
    assert read_votes(tmp_path / "v.csv") == [Vote("p", "a", "b", "both")]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("v.csv", "participant,first,second\n", "v.csv:1: there is no column `answer`"),
        ("v.csv", "participant,first,second,anwser\n", "no column `answer`, is `anwser` meant"),
        ("v.csv", "participant,first,second,answer,second_outcom\n", "unknown column `second_outcom`, did you mean"),
        ("v.csv", "participant,first,second,answer\np,a,b\n", "v.csv:2: 3 columns, the heading has 4"),
        ("v.csv", "participant,first,second,answer\np,a,b,frist\n", "v.csv:2: the answer is `frist`.*mean `first`"),
        ("v.csv", "participant,first,second,answer\n,a,b,first\n", "v.csv:2: `participant` is empty"),
        ("v.csv", "participant,first,second,answer,time\np,a,b,first,now\n", "v.csv:2: `time` is 'now', expected a"),
        ("v.csv", "participant,first,second,answer,seconds\np,a,b,first,-1\n", "`seconds` is '-1'"),
        ("v.csv", "participant,first,second,answer,first_outcome\np,a,b,first,won\n", "is `won`, expected win, loss"),
        ("v.csv", 'participant,first,second,answer\np,a,b,"first\n', "not CSV"),
        ("v.jsonl", '{"participant": "p"\n', "v.jsonl:1:.*not JSON"),
        ("v.jsonl", "\n[1]\n", "v.jsonl:2: expected a JSON object"),
        (
            "v.jsonl",
            '{"participant": 3, "first": "a", "second": "b", "answer": "both"}',
            "`participant` is 3, expected",
        ),
        ("v.csv", b"participant,first,second,answer\n\xff,a,b,both\n", "not UTF-8"),
    ],
)
def test_a_bad_file_is_refused_with_its_place(tmp_path: Path, name: str, text: str | bytes, message: str) -> None:
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(PcgError, match=message):
        read_votes(tmp_path / name)


def test_groups_are_read_from_each_kind_of_file(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("item,group\na,x\nb,y\n")
    (tmp_path / "g.json").write_text('{"a": "x", "b": "y"}')
    (tmp_path / "g.jsonl").write_text('{"item": "a", "group": "x"}\n{"item": "b", "group": "y"}\n')
    for name in ("g.csv", "g.json", "g.jsonl"):
        assert read_groups(tmp_path / name) == {"a": "x", "b": "y"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.csv", "item,group\na,x\na,y\n", "g.csv:3: `a` is in the groups `x` and `y`"),
        ("g.csv", "item,group\na,\n", "g.csv:2: the group is empty"),
        ("g.csv", "item,gruop\n", "no column `group`, is `gruop` meant"),
        ("g.json", "[]", "expected a JSON object from item to group"),
        ("g.json", "{", "g.json:1:2: not JSON"),
    ],
)
def test_bad_groups_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(PcgError, match=message):
        read_groups(tmp_path / name)


def test_what_is_analysed_is_one_question_without_checks() -> None:
    assert preferences(VOTES) == [VOTES[0]]
    assert preferences(VOTES, "harder") == [VOTES[1]]
    assert preferences([VOTES[1]]) == [VOTES[1]]


@pytest.mark.parametrize(
    ("votes", "question", "message"),
    [
        ([VOTES[1], Vote("p", "a", "b", "4", question="fun")], None, "several questions were asked"),
        (VOTES, "hardr", "did you mean `harder`"),
        ([Vote("p", "a", "b", "4", question="fun")], None, "answer `4` of participant p to `fun` is no preference"),
        ([Vote("p", "a", "a", "both")], None, "`a` beside itself"),
    ],
)
def test_what_cannot_be_analysed_is_said(votes: list[Vote], question: str | None, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        preferences(votes, question)


def test_votes_are_counted_by_pair_order_and_answer() -> None:
    votes = [
        Vote("p", "c", "a", "first"), Vote("p", "a", "c", "first"), Vote("p", "a", "c", "both"),
        Vote("p", "b", "c", "second"), Vote("q", "c", "b", "neither"),
    ]  # fmt: skip
    counts = count_votes(votes)
    assert counts.items == ("a", "b", "c")
    assert counts.wins().tolist() == [[0, 0, 1], [0, 0, 0], [1, 1, 0]]
    assert counts.ties().tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    assert counts.ties("both").tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    assert counts.appearances().tolist() == [3, 2, 5]
    pair = int(np.flatnonzero((counts.one == 0) & (counts.two == 2))[0])
    assert counts.counts[pair].tolist() == [[1, 0, 1, 0], [0, 1, 0, 0]]


def test_a_vote_about_an_item_that_is_not_there_is_refused() -> None:
    with pytest.raises(PcgError, match="`caves`, which is none of the 2 items, did you mean `cave`"):
        count_votes([Vote("p", "caves", "ruin", "first")], ["cave", "ruin"])
