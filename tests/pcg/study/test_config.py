"""The configuration of a study: what is read, what is written, and what is refused in which words."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.config import Question, Scale, StudyConfig, read_study

FULL = """
[study]
name = "two-dungeons"
languages = "zh, en"
[design]
pairing = "balanced"
pairs = 4
[play]
minimum = 5
[access]
opens = "2026-12-01T09:00"
closes = "2026-12-08T09:00+01:00"
redirect = "https://example.org/done?who={PROLIFIC_PID}&code={code}"
[[question]]
name = "fun"
answers = "two"
[[scale]]
name = "hard"
points = 7
[texts.en]
title = "Two dungeons"
instructions = '''Play both.
Then "choose".'''
"""


def read(text: str) -> StudyConfig:
    return StudyConfig.from_mapping(tomllib.loads(text), "study.toml")


def test_a_file_is_read_and_written_again() -> None:
    config = read(FULL)
    assert config.questions == (Question("fun", "two"),)
    assert config.scales == (Scale("hard", 7),)
    assert config.language_codes == ("zh", "en")
    assert config.kept_parameters == ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
    assert config.minimum == 5.0
    assert config.texts["en"]["instructions"] == 'Play both.\nThen "choose".'
    assert read(config.to_toml()) == config


def test_dates_are_utc_unless_they_say_otherwise() -> None:
    config = read(FULL)
    assert config.opening == 1796115600  # date -u -d 2026-12-01T09:00 +%s
    assert config.closing == 1796716800  # an hour before 09:00 UTC


def test_what_is_left_out_has_defaults() -> None:
    config = read('[study]\nname = "x"')
    assert config.questions[0].choices == ("first", "second", "both", "neither")
    assert config.opening is None
    assert config.closing is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[study]\nname = "a b"', "letters, digits"),
        ("[study]\nseed = 1", "letters, digits"),
        ('[study]\nname = "x"\nnam = 1', "no key `nam`, did you mean `name`"),
        ('[study]\nname = "x"\n[desing]\npairs = 1', "did you mean [design]"),
        ('[study]\nname = "x"\n[design]\npairing = "adaptve"', "did you mean `adaptive`"),
        ('[study]\nname = "x"\n[design]\npairs = 0', "from 1 to 200"),
        ('[study]\nname = "x"\n[play]\nminimum = 30\nmaximum = 20', "nobody could vote"),
        ('[study]\nname = "x"\n[play]\nspeed = 0.1', "0.5 to 60"),
        ('[study]\nname = "x"\n[access]\nopens = "tomorrow"', "a date and time"),
        ('[study]\nname = "x"\n[access]\nopens = "2026-12-02"\ncloses = "2026-12-01"', "not after"),
        ('[study]\nname = "x"\n[access]\nredirect = "https://a.b/{PID}"', "not among keep"),
        ('[study]\nname = "x"\n[access]\nredirect = "javascript:alert(1)"', "http:// or https://"),
        ('[study]\nname = "x"\n[[question]]\nanswers = "three"', "expected four, two"),
        ('[study]\nname = "x"\n[[scale]]\npoints = 3', "has no `name`"),
        ('[study]\nname = "x"\n[[scale]]\nname = "s"\npoints = 1', "from 2 to 11"),
        ('[study]\nname = "x"\n[[scale]]\nname = "prefer"', "two questions or scales"),
        ('[study]\nname = "x"\n[[scale]]\nname = "s"\npoint = 3', "did you mean `points`"),
        ('[study]\nname = "x"\n[texts.en]\ntitle = 3', "no text"),
        ('[study]\nname = "x"\nlanguages = " , "', "languages is empty"),
        ('question = 3\n[study]\nname = "x"', "expected a list"),
    ],
)
def test_what_is_wrong_is_told_in_one_sentence(text: str, words: str) -> None:
    with pytest.raises(PcgError) as caught:
        read(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PcgError, match="cannot read"):
        read_study(tmp_path / "none.toml")
