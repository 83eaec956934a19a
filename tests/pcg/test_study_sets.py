"""Studies of sets of four, of which the best (and the worst) is chosen."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
import studies
from study_walks import Walker, served

import pcg
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences.choices import Choice, ChoiceTable
from pcg.report.choices import choice_report
from pcg.study.config import Question, StudyConfig
from pcg.study.creation import make_study, read_plan
from pcg.study.exporting import export_study, study_data
from pcg.study.folders import open_study
from pcg.study.items import Source
from pcg.study.monitoring import rank_groups, study_statistics
from pcg.study.one_participant import stored_of
from pcg.study.replication import load_study, pack_study
from pcg.study.reporting import report_study
from pcg.study.rows import SIDES
from pcg.study.schema import participants
from pcg.study.server.pairing import Pairing
from pcg.study.sets import choices_of
from pcg.study.store import StudyStore

BEST_WORST = [{"name": "prefer"}, {"name": "worst", "answers": "worst"}]
GROUPS = (("0-2", "near"), ("3-4", "far"))
TRUTH = (1.5, 0.5, 0.0, -0.5, -1.5)


def sets_study(folder: Path, *, worst: bool = False, groups: bool = False, **settings: object) -> StudyStore:
    """A study of five levels, four at a time; of two groups if that is asked for."""
    more: dict = {"question": BEST_WORST} if worst else {}
    if groups:
        more["item"] = [{"from": "boxes", "levels": levels, "group": name} for levels, name in GROUPS]
    design = {"shown": "four", "checks": 0, "pairs": 2, **settings}
    return open_made(folder, {"design": design, "play": {"minimum": 0}}, more)


def open_made(folder: Path, sections: dict, more: dict) -> StudyStore:
    plan = folder.with_suffix(".toml")
    lines = [f"[{name}]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in keys.items())
             for name, keys in sections.items()]  # fmt: skip
    lines += [f"[[question]]\nname = '{q['name']}'\n" + (f"answers = '{q['answers']}'\n" if "answers" in q else "")
              for q in more.get("question", [])]  # fmt: skip
    lines += ["[[item]]\n" + "".join(f"{k} = '{v}'\n" for k, v in i.items()) for i in more.get("item", [])]
    plan.write_text("\n".join(lines), encoding="utf-8")
    config, sources, texts = read_plan(folder.name, plan)
    make_study(folder, config, sources or [Source("boxes")], texts=texts, measure=False)
    return open_study(folder)


def as_phones(store: StudyStore) -> None:
    """Every third participant came with a phone, the others with a computer."""
    with store.engine.begin() as db:
        for rest, device in ((0, "phone"), (1, "computer"), (2, "computer")):
            db.execute(sa.update(participants).where(participants.c.number % 3 == rest).values(device=device))


def answer_all(store: StudyStore, people: int, each: int, seed: int = 1) -> None:
    """People who choose by Luce's law, shown what the study's schedule shows."""
    pairing, rng = Pairing(store), np.random.default_rng(seed)
    u = dict(zip([item.id for item in store.items], TRUTH, strict=True))
    for _ in range(people):
        person, _ = store.join("en", consented=True)
        for position in range(each):
            chosen = pairing.next(person, position)
            assert chosen is not None
            pair = store.add_pair(person.id, position, *chosen.items)
            odds = np.exp([u[item] for item in pair.items])
            best = int(rng.choice(4, p=odds / odds.sum()))
            left = [k for k in range(4) if k != best]
            odds = np.exp([-u[pair.items[k]] for k in left])
            answers = {"prefer": SIDES[best], "worst": SIDES[int(rng.choice(left, p=odds / odds.sum()))]}
            store.vote(pair, {q.name: answers[q.name] for q in store.config.questions})


def walk(one: Walker, **votes: str) -> None:
    """Play all four of the set at which one is, and vote."""
    number = one.at.split("/")[2]
    for side in SIDES:
        assert one.at == f"/pair/{number}/{side}", one.page.text
        one.play()
        one.get("/")
    assert one.at == f"/pair/{number}/vote"
    one.send(one.at, **{f"q-{name}": answer for name, answer in votes.items()})


def test_four_are_played_one_after_the_other_and_one_is_chosen(tmp_path: Path) -> None:
    store = sets_study(tmp_path / "s")
    with served(store) as another:
        one = another().join().begin()
        assert one.get("/pair/1/vote").url.path == "/pair/1/first"  # nothing can be left out
        assert one.get("/pair/1/third").url.path == "/pair/1/first"
        walk(one, prefer="third")
        assert one.at == "/pair/2/first"
        walk(one, prefer="first")
        assert one.at == "/thanks"
    rows = store.vote_rows()
    assert [(row["answer"], row["position"]) for row in rows] == [("third", 0), ("first", 1)]
    for pair in store.pairs():
        assert len(set(pair.items)) == 4
        assert sorted(play.side for play in store.plays_of(pair.id)) == [0, 1, 2, 3]
        assert len({play.seed for play in store.plays_of(pair.id)}) == 1
    assert {frozenset(pair.items) for pair in store.pairs()} != 1


def test_a_server_that_is_gone_leads_back_into_the_set_and_a_vote_counts_once(tmp_path: Path) -> None:
    store = sets_study(tmp_path / "s")
    with served(store) as another:
        one = another().join().begin()
        one.play()
        one.get("/")
        assert one.at == "/pair/1/second"
        cookies = dict(one.client.cookies)
    with served(open_study(tmp_path / "s")) as another:
        again = another()
        again.client.cookies.update(cookies)
        again.get("/")
        assert again.at == "/pair/1/second"
        for side in SIDES[1:]:
            assert again.at == f"/pair/1/{side}"
            again.play()
            again.get("/")
        token = again.token
        for answer in ("fourth", "first"):
            again.client.post("/pair/1/vote", data={"token": token, "q-prefer": answer}, follow_redirects=False)
    assert [row["answer"] for row in store.vote_rows()] == ["fourth"]


def test_best_and_worst_are_asked_on_one_page_and_differ(tmp_path: Path) -> None:
    store = sets_study(tmp_path / "s", worst=True)
    with served(store) as another:
        one = another("zh").join().begin()
        for _ in SIDES:
            one.play()
            one.get("/")
        assert "您最喜欢哪一个" in one.page.text and "您最不喜欢哪一个" in one.page.text
        assert one.send(one.at, **{"q-prefer": "second", "q-worst": "second"}).status_code == 422
        assert "请选择两个不同的游戏" in one.page.text and not store.vote_rows()
        assert one.send("/pair/1/vote", **{"q-prefer": "second"}).status_code == 422
        one.send("/pair/1/vote", **{"q-prefer": "second", "q-worst": "fourth"})
        assert one.at == "/pair/2/first"
    (choice,) = choices_of(store.vote_rows(), store.config, {item.id: item.name for item in store.items})
    assert choice.places == (1, 3)


def test_votes_for_what_was_not_shown_are_refused(tmp_path: Path) -> None:
    store = sets_study(tmp_path / "s", worst=True)
    person, _ = store.join("en", consented=True)
    pair = store.add_pair(person.id, 0, *[item.id for item in store.items[:4]])
    for answers, told in (
        ({"prefer": "both", "worst": "first"}, "`both` is no answer"),
        ({"prefer": "first"}, "`worst` has no answer"),
        ({"prefer": "first", "worst": "first"}, "the best and the worst are the same"),
    ):
        with pytest.raises(PcgError, match=told):
            store.vote(pair, answers)
    assert not store.vote_rows()


def test_attention_checks_stay_pairs(tmp_path: Path) -> None:
    settings = {"design": {"shown": "four", "checks": 1, "pairs": 1}, "play": {"minimum": 0}}
    studies.make(tmp_path / "s", settings=settings, auto_checks=1)
    store = open_study(tmp_path / "s")
    with served(store) as another:
        one = another().join().begin()
        walk(one, prefer="first")
        assert one.at == "/pair/2/first"
        assert one.get("/pair/2/third").url.path == "/pair/2/first"
        for _ in range(2):
            one.play()
            one.get("/")
        assert 'value="second"' in one.page.text and 'value="third"' not in one.page.text
        one.send(one.at, **{"q-prefer": store.pairs()[-1].expected})
        assert one.at == "/thanks"
    assert [row["check"] != "" for row in store.vote_rows()] == [False, True]
    assert store.pairs()[-1].third is None


def test_an_instructed_check_offers_all_four_answers(tmp_path: Path) -> None:
    store = sets_study(tmp_path / "s", worst=True, checks=1, pairs=1)
    with served(store) as another:
        one = another().join().begin()
        walk(one, prefer="first", worst="second")
        assert all(f'value="{side}"' in one.page.text for side in SIDES) and "q-worst" not in one.page.text
        one.send(one.at, **{"q-prefer": store.pairs()[-1].expected})
        assert one.at == "/thanks"


def test_settings_that_do_not_go_together_are_one_clear_error(tmp_path: Path) -> None:
    assert StudyConfig("s", shown="four").questions == (Question(answers="best"),)
    with pytest.raises(PcgError, match="answers = 'two', expected best or worst with shown = 'four'"):
        StudyConfig("s", shown="four", questions=(Question(answers="two"),))
    with pytest.raises(PcgError, match="answers = 'best', expected four or two with shown = 'pair'"):
        StudyConfig("s", questions=(Question(answers="best"),))
    with pytest.raises(PcgError, match="only the second question can ask for the worst"):
        StudyConfig("s", shown="four", questions=(Question("worst", "worst"), Question(answers="best")))
    three = studies.level_files(tmp_path / "levels", "boxes", [0, 1, 2])
    (three / "game.vgdl").write_text(pcg.load("boxes").definition.source, encoding="utf-8")
    config, _, texts = read_plan("t", None, {"design": {"shown": "four", "checks": 0}})
    with pytest.raises(PcgError, match="no four items can be compared"):
        make_study(tmp_path / "t", config, [Source(str(three))], texts=texts, measure=False)


def test_sets_are_decided_by_seed_and_number_and_what_is_out(tmp_path: Path) -> None:
    store = sets_study(tmp_path / "s", pairs=5)
    people = [store.join("en", consented=True)[0] for _ in range(2)]
    first = Pairing(store).next(people[0], 0)
    assert first == Pairing(store).next(people[0], 0)
    store.add_pair(people[0].id, 0, *first.items)
    assert set(Pairing(store).next(people[1], 0).items) != set(first.items)
    assert Pairing(store).total == 5  # of five items there are five sets


@pytest.fixture
def voted(tmp_path: Path) -> StudyStore:
    """Forty people who judged the five sets of five levels, best and worst."""
    store = sets_study(tmp_path / "s", worst=True, groups=True, pairs=4)
    answer_all(store, 24, 4)
    as_phones(store)
    return store


def test_what_people_chose_is_found_again_live_and_in_the_report(voted: StudyStore, tmp_path: Path) -> None:
    names = [item.name for item in voted.items]
    live = study_statistics(voted, 4)
    assert live.items[0].name == names[0] and live.items[-1].name == names[-1]
    page = report_study(voted, tmp_path / "report", samples=60)
    text = page.read_text(encoding="utf-8")
    assert "By device" in text and "All prefer the same items: permutation test" in text
    assert "Luce" in text and "Groups, for other participants and other items" in text and "more sets" in text
    assert [(one.better, one.next) for one in live.undecided][:2] == [("near", "far"), (names[0], names[1])]
    assert live.undecided[0].votes == 0 and len(live.undecided) == 5
    numbers = {(r["table"], r["row"], r["name"]): float(r["value"])
               for r in csv.DictReader((tmp_path / "report" / "numbers.csv").open(encoding="utf-8"))}  # fmt: skip
    for name, truth in zip(names, TRUTH, strict=True):
        half = (numbers["items", name, "high"] - numbers["items", name, "low"]) / 2
        assert abs(numbers["items", name, "utility"] - truth) < 1.6 * half, (name, truth)
    table = ChoiceTable(choices_of(study_data(voted).votes, voted.config))
    assert numbers["items", names[0], "utility"] == table.posterior().mean[table.items.index(names[0])]
    counted = Counter(choice for row in study_data(voted).votes for choice in [row["question"]])
    assert counted == {"prefer": 96, "worst": 96}


def test_exports_deletion_and_replication_have_all_four(voted: StudyStore, tmp_path: Path) -> None:
    data = export_study(voted, tmp_path / "export")
    book = (tmp_path / "export" / "codebook.csv").read_text(encoding="utf-8")
    assert "votes,third,text" in book and "pairs,fourth,text" in book
    row = data.votes[0]
    assert len({row[side] for side in SIDES}) == 4 and row["answer"] in SIDES
    person = voted.participants()[0]
    stored = stored_of(voted, person)
    assert all(len({pair[side] for side in SIDES}) == 4 for pair in stored["pairs"])
    assert {vote["question"] for vote in stored["votes"]} == {"prefer", "worst"}
    pack_study(voted, tmp_path / "packed.zip")
    again = load_study(tmp_path / "packed.zip", tmp_path / "again")
    assert [row["answer"] for row in again.vote_rows()] == [row["answer"] for row in voted.vote_rows()]
    assert [len(pair.items) for pair in again.pairs()] == [4] * 96
    assert voted.forget(person.id) and len(voted.vote_rows()) == 184


@pytest.mark.full
@pytest.mark.parametrize("program", ["analysis.py", "analysis.R"])
def test_the_scripts_reproduce_the_report(voted: StudyStore, tmp_path: Path, program: str) -> None:
    needed = find_spec("pandas") if program == "analysis.py" else shutil.which("Rscript")
    if needed is None:
        pytest.skip(f"nothing here runs {program}")
    export_study(voted, tmp_path / "export")
    report_study(voted, tmp_path / "report", samples=60)
    command = [sys.executable, program, "--report"] if program == "analysis.py" else ["Rscript", program]
    done = subprocess.run([*command, str(tmp_path / "report")], cwd=tmp_path / "export", capture_output=True, text=True,
                          timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "compared with" in done.stdout
    numbers = (tmp_path / "report" / "numbers.csv").read_text(encoding="utf-8")
    assert "group-effects,far / near,error," in numbers and "by-device,phone,first," in numbers
    # And a report that is of other votes is told apart.
    numbers = tmp_path / "report" / "numbers.csv"
    numbers.write_text(numbers.read_text(encoding="utf-8").replace("items,boxes-0,best,", "items,boxes-0,best,1"),
                       encoding="utf-8")  # fmt: skip
    done = subprocess.run([*command, str(tmp_path / "report")], cwd=tmp_path / "export", capture_output=True, text=True,
                          timeout=300)  # fmt: skip
    assert done.returncode == 1


def test_groups_that_were_never_shown_together_are_not_ranked(tmp_path: Path) -> None:
    apart = [Choice(f"p{k}", items, items[0]) for items in (("a", "b"), ("d", "c")) for k in range(6)]
    groups = {"a": "one", "b": "one", "c": "other", "d": "other"}
    assert rank_groups(apart, groups) == []
    choice_report(apart, groups, tmp_path / "apart", title="t", samples=10)
    numbers = (tmp_path / "apart" / "numbers.csv").read_text(encoding="utf-8")
    assert "sets," not in numbers and "group-effects," not in numbers
    page = (tmp_path / "apart" / "report.html").read_text(encoding="utf-8")
    assert "No vote connects these 2 parts of the items: a, b; c, d." in page
    together = [*apart, Choice("q", ("a", "d"), "d")]
    assert [rank.name for rank in rank_groups(together, groups)] == ["other", "one"]
    choice_report(together, groups, tmp_path / "together", title="t", samples=10)
    assert "sets,one,utility" in (tmp_path / "together" / "numbers.csv").read_text(encoding="utf-8")
    assert "No vote connects" not in (tmp_path / "together" / "report.html").read_text(encoding="utf-8")
