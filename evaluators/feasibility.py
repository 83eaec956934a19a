"""Checks that a game can have feasible levels at all, before a single level is made.

Only what the rules settle for certain counts here; a game that is merely hard to make levels for passes.
"""

from __future__ import annotations

from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.level import MAX_SPRITES
from pcg.engine.vgdl.ontology import EFFECTS
from pcg.evaluators.analysis import Ending, GameAnalysis, wins_for_player_0
from pcg.evaluators.level_grid import Palette
from pcg.evaluators.requirements import Requirements


def check_winnable(analysis: GameAnalysis, required: Requirements) -> None:
    """Refuse a game of which no level can be won, or every level wins itself.

    Raises:
        PcgError: with the terminations that say so.
    """
    name = analysis.definition.name
    terminations = analysis.definition.terminations
    if not any(wins_for_player_0(t) for t in terminations):
        listed = ", ".join(dict.fromkeys(t.name for t in terminations)) or "none at all"
        raise PcgError(f"{name} cannot be won: none of its terminations has win=True (it has: {listed})")
    if len(analysis.wins) < sum(wins_for_player_0(t) for t in terminations):
        return  # a kind of ending that the analysis cannot tell anything about
    reasons = [_impossible(ending, analysis, required) for ending in analysis.wins]
    if all(reasons):
        raise PcgError(f"no level of {name} can be feasible: {'; '.join(dict.fromkeys(reasons))}")


def _impossible(ending: Ending, analysis: GameAnalysis, required: Requirements) -> str:
    """The reason why an ending can never be what a player brings about, or ""."""
    if ending.kind != "vanish" or not ending.types or set(ending.types) & set(analysis.avatars):
        return ""
    placeable = [t for t in ending.types if t in required.placeable]
    names = ", ".join(analysis.names(ending.types))
    if not placeable:
        made = {s.product for s in analysis.sources}
        if made & set(ending.types):
            return ""
        return f"{ending.name} of {names} wins at once, for no level can hold them and nothing makes them"
    if all(t in required.unwinnable and _untouched(t, analysis.definition) for t in placeable):
        return f"{ending.name} waits for {names} to go, and no rule removes them"
    return ""


_LASTING = frozenset({"Immovable", "Passive", "Door", "Portal", "Resource", "ResourcePack"})
"""Classes whose sprites do not go by themselves."""


def _untouched(type_id: int, definition: GameDefinition) -> bool:
    """Return True when no rule could be what removes sprites of a type: none names it but to keep things apart."""
    sprite = definition.types[type_id]
    if sprite.class_name not in _LASTING or definition.time_effects:
        return False
    names = {definition.types[t].name for t in sprite.path}
    touching = [e for pair in definition.pairs if {pair.first, pair.second} & set(sprite.path) for e in pair.effects]
    touching += [e for t in sprite.path for e in definition.eos_effects.get(t, ())]
    if any(not EFFECTS[definition.effects[e].name].harmless for e in touching):
        return False
    for effect in definition.effects:
        named = " ".join(str(value) for value in effect.params.values()).replace(",", " ").split()
        if names & set(named) or effect.inner is not None:
            return False
    return True


def check_size(palette: Palette, width: int, height: int) -> None:
    """Refuse levels so large that their bare ground alone is more than the engine holds.

    Raises:
        PcgError: with the largest size that would do.
    """
    each = max(1, int(palette.type_counts[palette.empty].sum()))
    if width * height * each > MAX_SPRITES:
        side = int((MAX_SPRITES // each) ** 0.5)
        raise PcgError(
            f"levels of up to {width} x {height} cells hold up to {width * height * each:,} sprites and more, and a "
            f"game has room for {MAX_SPRITES:,}: expected at most {MAX_SPRITES // each:,} cells, as in {side} x {side}"
        )
