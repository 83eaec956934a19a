"""The 58 effects with their parameters, what they may write, what they do and how that is said. Tables only, of
reference/effects 10.2 and 10; an effect is declared here, and run by `kernel.effects`.

The write flags are conservative: an effect that can move A in any case has `moves_first`, and so on. `A` is the first
sprite of the rule, `B` the second.
"""

from __future__ import annotations

from typing import Any, Final

from pcg.engine.vgdl.ontology_params import FIRST, NAMED, SECOND, Does, EffectSpec, Param

BASE_PARAMS: Final[tuple[Param, ...]] = (
    Param("scoreChange", "integers", "0", "score for every player, or one number per player", "points", (-100, 100)),
    Param("counter", "integers", "0", "added to the game counters, one number per counter; a single number is dropped"),
    Param("counterElse", "integers", "0", "second set of counter changes; a single number is dropped"),
    Param("count", "bool", True, "whether `counter` is applied"),
    Param("countElse", "bool", True, "whether `counterElse` is applied"),
    Param("applyScore", "bool", True, "whether `scoreChange` is applied"),
    Param("prob", "double", 1.0, "chance; only the spawn family and attractGaze read it", range=(0, 1)),
    Param("repeat", "int", 1, "how often the effect is listed for its pair", "times", (1, 20)),
    Param("enabled", "bool", True, "a disabled effect is skipped"),
    Param("inBatch", "bool", False, "runs once per A against all overlapping B"),
    Param("is_kill_effect", "bool", False, "informative", inert=True),
    Param("is_stochastic", "bool", False, "informative", inert=True),
    Param("sequential", "bool", False, "unused", inert=True),
    Param("hashCode", "int", 0, "overwritten with the hash of the effect's name", inert=True),
)
"""Fields of every effect (reference/effects 10.2)."""

TIME_PARAMS: Final[tuple[Param, ...]] = (
    Param("timer", "int", -1, "time between two executions", "ticks", (1, 2000)),
    Param("nextExecution", "int", -1, "if given, the first execution is at tick `timer`, else at tick 0", "ticks"),
    Param("repeating", "bool", False, "executes again every `timer` ticks"),
)
"""Fields a time effect has beyond those of every effect (reference/terminations 4.4)."""


def define(known: dict[str, EffectSpec], name: str, rule: str, help: str, *params: Param, **flags: Any) -> None:
    batch = bool(flags.get("batch", False))
    base = {p.name: p for p in BASE_PARAMS}
    if batch:
        base["inBatch"] = Param("inBatch", "bool", True, base["inBatch"].help)
    own = tuple(p.name for p in params)
    known[name] = EffectSpec(name, {**base, **{p.name: p for p in params}}, help, rule, own, **flags)


def _sprite(name: str, help: str, *, required: bool = True, must_exist: bool = True) -> Param:
    return Param(name, "sprite", None, help, required=required, must_exist=must_exist)


KILL_SECOND = Does("kill", SECOND, only_if=("killSecond", False))
A = {"needs_first": True}
AB = {"needs_first": True, "needs_second": True}


def effects() -> dict[str, EffectSpec]:
    """All effects."""
    known: dict[str, EffectSpec] = {}
    _position(known)
    _walls_and_directions(known)
    _kills(known)
    _transforms(known)
    _spawns(known)
    _holdings(known)
    return known


def _position(known: dict[str, EffectSpec]) -> None:
    rule = "effects 10.7"
    pixel_perfect = Param("pixelPerfect", "bool", False, "puts A next to B instead of back")
    define(
        known, "stepBack", rule, "puts A back where it was", pixel_perfect, **A, moves_first=True, only_resets=True,
        does=(Does("block"),), harmless=True, shield_phrase="not stopped",
        orientations_read=(),
        phrase="{if:pixelPerfect&b|{a} stops right beside {b}|{a} cannot {if:b|pass|leave the screen}}",
        phrase_zh="{if:pixelPerfect&b|{a}紧挨着{b}停下|{a}{if:b|无法通过|无法离开屏幕}}",
        shield_phrase_zh="阻挡",
    )  # fmt: skip
    define(
        known, "undoAll", rule, "puts every sprite back where it was",
        Param("notStype", "sprites", None, "types left alone"), touches_all=True, only_resets=True,
        does=(Does("block"),), harmless=True,
        orientations_read=(),
        phrase="everything{if:notStype| except {many:notStype}} goes back to where it was",
        phrase_zh="{if:notStype|除{many:notStype}外，}一切都退回原来的位置",
    )  # fmt: skip
    define(
        known, "align", rule, "puts A on B",
        Param("orient", "bool", True, "A also takes B's orientation"), **AB, moves_first=True, changes_first=True,
        only_if={"changes_first": "orient"},
        harmless=True,
        phrase="{a} is put on {b}{if:orient| and faces the same way}",
        phrase_zh="{a}移到{b}的位置{if:orient|，并朝同一方向}",
    )  # fmt: skip
    define(
        known, "wrapAround", rule, "puts A at the opposite edge",
        Param("offset", "double", 0.0, "distance from the edge", "sprite sizes", (-1, 1)),
        **A, moves_first=True, changes_first=True,
        does=(Does("wrap"),), harmless=True,
        record={"number": "offset"},
        phrase="{a} comes back at the opposite edge{if:offset|, {number:offset} of its size further in}",
        phrase_zh="{a}从对面的边缘重新出现{if:offset|，向内偏移自身大小的 {number:offset} 倍}",
    )  # fmt: skip
    define(
        known, "turnAround", rule, "turns A round and moves it two steps down",
        **A, moves_first=True, changes_first=True,
        does=(Does("turn"),), harmless=True,
        phrase="{a} turns round and comes two steps down",
        phrase_zh="{a}掉头并下移两步",
    )  # fmt: skip
    define(
        known, "bounceForward", rule, "B pushes A on", **AB, moves_first=True, changes_first=True,
        does=(Does("push"),), harmless=True,
        orientations_read=(SECOND,),
        phrase="{b} pushes {a} on",
        phrase_zh="{b}推动{a}",
        alone="{b} pushes {a}",
        alone_zh="{b}可以推动{a}",
    )  # fmt: skip
    define(
        known, "pullWithIt", rule, "B carries A along",
        Param("pixelPerfect", "bool", False, "A takes B's rectangle"), **AB, moves_first=True, changes_first=True,
        does=(Does("carry"),), harmless=True,
        rare_fields=True,
        phrase="{b} carries {a} along{if:pixelPerfect|, exactly on top of {b}}",
        phrase_zh="{b}带着{a}一起移动{if:pixelPerfect|，两者完全重合}",
        alone="{b} carries {a} along",
        alone_zh="{b}带着{a}一起移动",
    )  # fmt: skip
    define(
        known, "teleportToExit", rule, "moves A to an exit of the portal B, or kills it when there is none",
        **AB, moves_first=True, changes_first=True, kills_first=True, stochastic=True,
        does=(Does("teleport"),), harmless=True,
        phrase="{b} takes {a} to its exit, or kills it where there is none",
        phrase_zh="{b}把{a}传送到出口，没有出口则{a}{gone}",
    )  # fmt: skip


def _walls_and_directions(known: dict[str, EffectSpec]) -> None:
    define(
        known, "wallStop", "effects 10.8", "A stops at the wall B and slides along it",
        **AB, moves_first=True, changes_first=True, only_resets=True,
        does=(Does("block"),), harmless=True,
        rare_fields=True,
        phrase="{a} stops at {b} and slides along it",
        phrase_zh="{a}被{b}挡住，沿着它滑行",
    )  # fmt: skip
    for name, help, phrase, phrase_zh in (
        ("wallBounce", "A bounces off the walls it hits", "{a} bounces off {b}", "{a}从{b}弹开"),
        ("wallReverse", "A turns back at the walls it hits", "{a} turns back at {b}", "{a}碰到{b}就掉头"),
    ):
        define(
            known, name, "effects 10.8", help,
            **AB, moves_first=True, moves_second=True, changes_first=True, only_resets=True, batch=True,
            does=(Does("block"), Does("turn")), harmless=True, rare_fields=True,
            phrase=phrase, phrase_zh=phrase_zh,
        )  # fmt: skip
    define(
        known, "bounceDirection", "effects 10.8", "A bounces off B at an angle that depends on where it hit",
        Param("maxBounceAngleDeg", "double", 60.0, "steepest angle", "degrees", (0, 90)), **AB, changes_first=True,
        does=(Does("turn"),),
        record={"number": "maxBounceAngleDeg"},
        phrase="{a} bounces off {b}, at most {number:maxBounceAngleDeg} degrees aslant: the further from the middle "
        "it hits, the more",
        phrase_zh="{a}从{b}弹开，偏角最多 {number:maxBounceAngleDeg} 度，撞得离中心越远偏得越多",
    )  # fmt: skip
    define(
        known, "reverseDirection", "effects 10.9", "A turns back", **A, changes_first=True, does=(Does("turn"),),
        harmless=True,
        phrase="{a} turns back",
        phrase_zh="{a}掉头",
    )  # fmt: skip
    define(
        known, "flipDirection", "effects 10.9", "A gets a random direction", **A, changes_first=True, stochastic=True,
        does=(Does("turn"),), harmless=True,
        phrase="{a} turns in a random direction",
        phrase_zh="{a}转向随机的方向",
    )  # fmt: skip
    define(
        known, "attractGaze", "effects 10.9", "A takes B's orientation with probability `prob`",
        Param("align", "bool", False, "A also takes B's lane"), **AB, changes_first=True, moves_first=True,
        only_if={"moves_first": "align"}, uses_prob=True, stochastic=True,
        does=(Does("turn"),), harmless=True,
        phrase="{a} turns to face where {b} faces{if:align| and moves into its lane}{chance}",
        phrase_zh="{a}转向{b}所朝的方向{if:align|，并移到它所在的行列}{chance}",
    )  # fmt: skip
    define(
        known, "halfSpeed", "effects 10.9", "halves A's speed", **A, changes_first=True,
        phrase="{a} becomes half as fast",
        phrase_zh="{a}的速度减半",
    )  # fmt: skip
    for name, help, default, phrase, phrase_zh in (
        ("increaseSpeedToAll", "adds to the speed of all sprites of a type", 0.1,
         "{all:stype} get faster by {number:value}", "{all:stype}的速度增加 {number:value}"),
        ("decreaseSpeedToAll", "takes from the speed of all sprites of a type", 0.1,
         "{all:stype} get slower by {number:value}", "{all:stype}的速度减少 {number:value}"),
        ("setSpeedForAll", "sets the speed of all sprites of a type", 0.0,
         "the speed of {all:stype} becomes {number:value}", "{all:stype}的速度变为 {number:value}"),
    ):  # fmt: skip
        define(
            known, name, "effects 10.9", help, _sprite("stype", "whose speed"),
            Param("value", "double", default, "speed", "as the sprite's speed", (0, 2)),
            touches=("stype",), touches_subtypes=True,
            phrase=phrase, phrase_zh=phrase_zh,
        )  # fmt: skip
    define(
        known, "waterPhysics", "effects 10.9", "sets A's gravity to 0.2", changes_first=True,
        rare_fields=True,
        phrase="{a} sinks as in water (gravity 0.2)",
        phrase_zh="{a}像在水中一样下沉（重力 0.2）",
    )  # fmt: skip


def _kills(known: dict[str, EffectSpec]) -> None:
    rule = "effects 10.10"
    limit = Param("limit", "int", 0, "threshold", "units", (0, 100))
    kill = {"kills_first": True, "kill": True}
    define(
        known, "killSprite", rule, "kills A", **A, **kill, does=(Does("kill"),), shield_phrase="not killed",
        orientations_read=(), removes_first=True,
        phrase="{a} {gone}",
        phrase_zh="{a}{gone}",
        shield_phrase_zh="杀死",
    )  # fmt: skip
    define(
        known, "killBoth", rule, "kills A and B", **AB, **kill, kills_second=True,
        does=(Does("kill"), Does("kill", SECOND)), shield_phrase="not killed",
        orientations_read=(), removes_first=True,
        phrase="{a} and {b} destroy each other",
        phrase_zh="{a}和{b}同归于尽",
        shield_phrase_zh="杀死",
        alone="{a} and {b} destroy each other",
        alone_zh="{a}和{b}同归于尽",
    )  # fmt: skip
    define(
        known, "killAll", rule, "kills all sprites of exactly one type", _sprite("stype", "whom"),
        touches=("stype",), kill=True,
        does=(Does("kill", NAMED, named="stype"),),
        touches_kill_only=True,
        phrase="{all:stype} {if:you:stype|disappears|disappear}",
        phrase_zh="{all:stype}消失",
    )  # fmt: skip
    define(
        known, "killIfAlive", rule, "kills A if B is alive", **AB, **kill, does=(Does("kill"),),
        score_note=" either way",
        phrase="{a} {gone} if {b} still lives",
        phrase_zh="如果{b}还在，{a}{gone}",
        score_note_zh="，无论结果如何",
    )  # fmt: skip
    define(
        known, "killIfHasMore", rule, "kills A if it holds at least `limit` of a resource",
        _sprite("resource", "which resource"), limit, **A, **kill,
        does=(Does("kill", holding=(FIRST, "resource", "limit", True)),), scores_on_effect=True,
        orientations_read=(),
        phrase="{a} {gone} if {a} holds {at_least}",
        phrase_zh="如果{a}持有{at_least}，{a}{gone}",
    )  # fmt: skip
    define(
        known, "killIfHasLess", rule, "kills A if it holds at most `limit` of a resource",
        _sprite("resource", "which resource"), limit, **A, **kill,
        does=(Does("kill", holding=(FIRST, "resource", "limit", False)),), scores_on_effect=True,
        orientations_read=(),
        phrase="{a} {gone} if {a} holds {at_most}",
        phrase_zh="如果{a}{holds_at_most}，{a}{gone}",
    )  # fmt: skip
    define(
        known, "killIfOtherHasMore", rule, "kills A if B holds at least `limit` of a resource",
        _sprite("resource", "which resource", must_exist=False), limit,
        Param("subtract", "bool", False, "takes `limit` of it from B"),
        **AB, **kill, changes_second=True, only_if={"changes_second": "subtract"},
        does=(Does("kill", holding=(SECOND, "resource", "limit", True)),), scores_on_effect=True,
        orientations_read=(),
        phrase="{a} {gone} if {b} holds {at_least}{if:subtract|, using {if:limit=1|it|them} up}",
        phrase_zh="如果{b}持有{at_least}，{a}{gone}{if:subtract|，并将其用掉}",
    )  # fmt: skip
    define(
        known, "killIfFromAbove", rule, "kills A if it comes from above B", **AB, **kill,
        does=(Does("kill", situational=True),), scores_on_effect=True,
        phrase="{a} {gone} if {b} falls on it from above",
        phrase_zh="如果{b}从上方落到{a}身上，{a}{gone}",
    )  # fmt: skip
    define(
        known, "killIfFrontal", rule, "kills A if it and B move in opposite directions, or A stands", **AB, **kill,
        does=(Does("kill", situational=True),), shield_phrase="not killed from the front", scores_on_effect=True,
        phrase="{a} {gone} if it stands or the two meet head on",
        phrase_zh="如果{a}静止或两者迎面相撞，{a}{gone}",
        shield_phrase_zh="从正面杀死",
    )  # fmt: skip
    define(
        known, "killIfNotFrontal", rule, "kills A unless it and B move in opposite directions", **AB, **kill,
        does=(Does("kill", situational=True),), scores_on_effect=True,
        phrase="{a} {gone} unless the two meet head on",
        phrase_zh="除非两者迎面相撞，否则{a}{gone}",
    )  # fmt: skip
    speed = Param("limspeed", "double", 1.0, "threshold", "difference of orientations, or speed", (0, 100))
    define(
        known, "killIfFast", rule, "kills A if it is faster than `limspeed`", speed, **AB, **kill,
        does=(Does("kill", situational=True),), score_note=" either way",
        record={"number": "limspeed"},
        phrase="{a} {gone} if the two collide faster than {number:limspeed}",
        phrase_zh="如果两者相撞的速度高于 {number:limspeed}，{a}{gone}",
        score_note_zh="，无论结果如何",
    )  # fmt: skip
    define(
        known, "killIfSlow", rule, "kills A if it is slower than `limspeed`", speed, **AB, **kill,
        does=(Does("kill", situational=True),), score_note=" either way",
        record={"number": "limspeed"},
        phrase="{a} {gone} if the two collide slower than {number:limspeed}",
        phrase_zh="如果两者相撞的速度低于 {number:limspeed}，{a}{gone}",
        score_note_zh="，无论结果如何",
    )  # fmt: skip
    define(
        known, "killIfNotUpright", rule, "kills A unless its rotation is upright", **kill,
        does=(Does("kill", situational=True),), score_note=" either way",
        rare_fields=True,
        phrase="{a} {gone} unless it is upright",
        phrase_zh="如果{a}没有直立，{a}{gone}",
        score_note_zh="，无论结果如何",
    )  # fmt: skip


def _transforms(known: dict[str, EffectSpec]) -> None:
    rule = "effects 10.11"
    second = Param("killSecond", "bool", False, "also kills B")
    common = (second, Param("forceOrientation", "bool", False, "the new sprite takes A's orientation in any case"))
    flags: dict[str, Any] = {"kills_second": True, "only_if": {"kills_second": "killSecond"}, "kill": True}
    define(
        known, "transformTo", rule, "replaces A by a sprite of another type",
        _sprite("stype", "what A becomes"), *common, **A, **flags, kills_first=True, creates=("stype",),
        does=(Does("transform", products=("stype",)), KILL_SECOND), shield_phrase="not transformed",
        orientation_handed_to="stype", removes_first=True,
        phrase="{a} turns into {new:stype}{facing}{both}",
        phrase_zh="{a}变成{new:stype}{facing}{both}",
        shield_phrase_zh="改变",
    )  # fmt: skip
    define(
        known, "transformToAll", rule, "replaces all sprites of exactly one type",
        _sprite("stype", "which sprites"), _sprite("stypeTo", "what they become"), *common,
        **flags, creates=("stypeTo",), touches=("stype",),
        does=(Does("transform", NAMED, ("stypeTo",), named="stype"), KILL_SECOND),
        touches_kill_only=True, record={"stype2": "stypeTo"},
        phrase="{all:stype} {if:you:stype|turns|turn} into {many:stypeTo}{facing}{both}",
        phrase_zh="{all:stype}变成{many:stypeTo}{facing}{both}",
    )  # fmt: skip
    define(
        known, "transformIfCount", rule, "replaces A by `stype` if a number of sprites is in range, else by `estype`",
        _sprite("stype", "what A becomes in range"),
        _sprite("stypeCount", "what is counted", must_exist=False),
        Param("geq", "int", 0, "least number", "sprites", (0, 1000)),
        Param("leq", "int", 10000, "greatest number", "sprites", (0, 10000)),
        _sprite("estype", "what A becomes out of range", required=False, must_exist=False),
        *common, **AB, **flags, kills_first=True, creates=("stype", "estype"),
        does=(Does("transform", products=("stype", "estype"), situational=True), KILL_SECOND),
        scores_on_effect=True, counts_else=True,
        phrase="{a} turns into {new:stype} if {there:stypeCount,geq,leq}{if:estype|, else into "
        "{new:estype}}{facing}{both}",
        phrase_zh="如果{there:stypeCount,geq,leq}，{a}变成{new:stype}{if:estype|，否则变成{new:estype}}{facing}{both}",
    )  # fmt: skip
    define(
        known, "transformToRandomChild", rule, "replaces A by a random ancestor or descendant of a type",
        _sprite("stype", "whose relatives"), *common,
        **A, **flags, kills_first=True, creates=("stype",), creates_subtypes=True, stochastic=True,
        does=(Does("transform", products=("stype",)), KILL_SECOND),
        phrase="{a} turns into a random kind of {noun:stype}{facing}{both}",
        phrase_zh="{a}变成随机一种{noun:stype}{facing}{both}",
    )  # fmt: skip
    define(
        known, "transformToSingleton", rule, "replaces all `stype` by `stype_other`, then A by `stype`",
        _sprite("stype", "what A becomes"), _sprite("stype_other", "what those before become"),
        Param("takeOrientation", "bool", False, "the new sprite faces B"),
        **AB, kills_first=True, creates=("stype", "stype_other"), touches=("stype",), kill=True,
        does=(Does("transform", products=("stype",)), Does("transform", NAMED, ("stype_other",), named="stype")),
        touches_kill_only=True, record={"stype2": "stype_other"},
        phrase="{a} becomes {the:stype}{if:takeOrientation|, facing away from where {b} faces}, and the one before "
        "turns into {new:stype_other}",
        phrase_zh="{a}成为{the:stype}{if:takeOrientation|，朝向与{b}相反}，原来的{noun:stype}变成{new:stype_other}",
    )  # fmt: skip


def _spawns(known: dict[str, EffectSpec]) -> None:
    rule = "effects 10.12"
    draws: dict[str, Any] = {"uses_prob": True, "stochastic": True}
    stype = _sprite("stype", "what is created")
    limit = Param("limit", "int", 0, "threshold", "units", (0, 100))
    define(
        known, "cloneSprite", rule, "creates a sprite of A's type on A", **A, creates_first=True, does=(Does("spawn"),),
        phrase="another {kind} appears",
        phrase_zh="{a}多出一个",
    )  # fmt: skip
    define(
        known, "spawn", rule, "creates a sprite on A", stype, **A, **draws, creates=("stype",),
        does=(Does("spawn", products=("stype",)),),
        phrase="{new:stype} appears{chance}",
        phrase_zh="出现{new:stype}{chance}",
    )  # fmt: skip
    define(
        known, "spawnBehind", rule, "creates a sprite where B was", stype,
        needs_second=True, **draws, creates=("stype",),
        does=(Does("spawn", products=("stype",)),),
        phrase="{new:stype} appears where {b} was{chance}",
        phrase_zh="{b}原来的位置出现{new:stype}{chance}",
    )  # fmt: skip
    for name, where, where_zh in (
        ("spawnAbove", "above", "上方"),
        ("spawnBelow", "below", "下方"),
        ("spawnLeft", "left of", "左边"),
        ("spawnRight", "right of", "右边"),
    ):
        define(
            known, name, rule, f"creates a sprite one block {where} B",
            _sprite("stype", "what is created", must_exist=False),
            Param("stepBack", "bool", False, "counts from where B was"),
            needs_second=True, **draws, creates=("stype",),
            does=(Does("spawn", products=("stype",)),),
            phrase=f"{{new:stype}} appears one cell {where} {{if:stepBack|where {{b}} was|{{b}}}}{{chance}}",
            phrase_zh=f"{{b}}{{if:stepBack|原来位置}}的{where_zh}一格出现{{new:stype}}{{chance}}",
        )  # fmt: skip
    define(
        known, "spawnIfHasMore", rule, "creates a sprite on A if A holds at least `limit` of a resource",
        _sprite("resource", "which resource"), stype, limit,
        Param("spend", "int", 0, "taken from A", "units", (0, 100)),
        **A, **draws, changes_first=True, creates=("stype",),
        does=(Does("spawn", products=("stype",), holding=(FIRST, "resource", "limit", True)),),
        scores_on_effect=True,
        record={"value": "spend"},
        phrase="{new:stype} appears if {a} holds {at_least}{if:spend|, which costs {count:spend|"
        "{noun:resource}}}{chance}",
        phrase_zh="如果{a}持有{at_least}，则出现{new:stype}{if:spend|，消耗 {count:spend|{noun:resource}}}{chance}",
    )  # fmt: skip
    define(
        known, "spawnIfHasLess", rule, "creates a sprite on A if A holds at most `limit` of a resource",
        _sprite("resource", "which resource"), stype, limit, **A, **draws, creates=("stype",),
        does=(Does("spawn", products=("stype",), holding=(FIRST, "resource", "limit", False)),),
        scores_on_effect=True,
        phrase="{new:stype} appears if {a} holds {at_most}{chance}",
        phrase_zh="如果{a}{holds_at_most}，则出现{new:stype}{chance}",
    )  # fmt: skip
    define(
        known, "spawnIfCounterSubTypes", rule, "creates `stype` on A if two counts match, else `estype`",
        stype, _sprite("estype", "what is created otherwise"), _sprite("stypeCount", "what is counted"),
        Param("limit", "int", 0, "number of sprites", "sprites", (0, 1000)),
        Param("subTypesNum", "int", -1, "half the number of populated subtypes", "types", (-1, 100)),
        **A, creates=("stype", "estype"),
        does=(Does("spawn", products=("stype", "estype"), situational=True),), scores_on_effect=True,
        record={"value": "subTypesNum"},
        phrase="{new:stype} appears if there are exactly {number:limit} {many:stypeCount} of {number:2*subTypesNum} "
        "kinds (twice {number:subTypesNum}), else {new:estype}",
        phrase_zh="如果恰好有 {count:limit|{noun:stypeCount}}，分属 {number:2*subTypesNum} 种（{number:subTypesNum} "
        "的两倍），则出现{new:stype}，否则出现{new:estype}",
    )  # fmt: skip
    define(
        known, "updateSpawnType", rule, "spawners of a type spawn something else from now on",
        _sprite("stype", "what they spawn"), _sprite("spawnPoint", "which spawners"),
        creates=("stype",), touches=("spawnPoint",), touches_subtypes=True,
        does=(Does("spawn", products=("stype",), situational=True),),
        rare_fields=True, record={"stype2": "spawnPoint"},
        phrase="{many:spawnPoint} spawn {many:stype} from now on",
        phrase_zh="从此{many:spawnPoint}产生{many:stype}",
    )  # fmt: skip


def _holdings(known: dict[str, EffectSpec]) -> None:
    rule = "effects 10.13"
    take = Param("killResource", "bool", True, "the resource disappears")
    second = Param("killSecond", "bool", False, "also kills B")
    health = Param("value", "int", 1, "change", "health points", (1, 100))
    held = (SECOND, "heldResource", "value", True)
    define(
        known, "collectResource", rule, "B collects the resource A", take,
        **AB, changes_second=True, kills_first=True, only_if={"kills_first": "killResource"},
        does=(Does("collect"), Does("kill", only_if=("killResource", True))), scores_on_effect=True,
        orientations_read=(),
        phrase="{b} picks up {a}{if:killResource||, and {a} stays where it is}",
        phrase_zh="{b}捡起{a}{if:killResource||，{a}仍留在原处}",
        alone="{b} picks up {a}",
        alone_zh="{b}可以捡起{a}",
    )  # fmt: skip
    define(
        known, "collectResourceIfHeld", rule, "B collects the resource A if it holds enough of another",
        take, _sprite("heldResource", "what B must hold", must_exist=False),
        Param("value", "int", 1, "how much of it", "units", (1, 100)),
        **AB, changes_second=True, kills_first=True, only_if={"kills_first": "killResource"},
        does=(
            Does("collect", holding=held), Does("kill", holding=held, only_if=("killResource", True)),
        ),
        scores_on_effect=True,
        record={"res": "heldResource"},
        phrase="{b} picks up {a} if it holds at least {count:value|{noun:heldResource}}{if:killResource||; {a} stays "
        "where it is}",
        phrase_zh="如果{b}持有至少 {count:value|{noun:heldResource}}，{b}捡起{a}{if:killResource||，{a}仍留在原处}",
    )  # fmt: skip
    define(
        known, "changeResource", rule, "changes how much of a resource A holds",
        _sprite("resource", "which resource", must_exist=False),
        Param("value", "int", 1, "change", "units", (-100, 100)),
        Param("killResource", "bool", False, "B disappears"),
        **AB, changes_first=True, kills_second=True, only_if={"kills_second": "killResource"},
        does=(Does("gain"), Does("kill", SECOND, only_if=("killResource", False))), scores_on_effect=True,
        phrase="{a} {if:value<0|loses {count:-value|{noun:resource}}|gets {count:value|"
        "{noun:resource}}}{if:killResource&b|, and {b} disappears}",
        phrase_zh="{a}{if:value<0|失去 {count:-value|{noun:resource}}|得到 {count:value|"
        "{noun:resource}}}{if:killResource&b|，{b}消失}",
    )  # fmt: skip
    for name, help, how, how_zh in (
        ("addHealthPoints", "A gains health unless it would reach its limit",
         "unless that would reach its limit", "除非会达到上限"),
        ("addHealthPointsToMax", "A gains health up to its limit", "up to its limit", "不超过上限"),
    ):  # fmt: skip
        define(
            known, name, rule, help, health, second,
            **A, changes_first=True, kills_second=True, only_if={"kills_second": "killSecond"},
            does=(Does("heal"), KILL_SECOND), scores_on_effect=True,
            phrase=f"{{a}} gains {{count:value|health point}} ({how}){{both}}",
            phrase_zh=f"{{a}}恢复 {{number:value}} 点生命（{how_zh}）{{both}}",
        )  # fmt: skip
    define(
        known, "subtractHealthPoints", rule, "A, or a sprite of a type, loses health and dies at `limit`",
        health, Param("limit", "int", 0, "dies at this or less", "health points", (0, 100)),
        Param("stype", "sprite", "", "whom instead of A", must_exist=True),
        Param("scoreChangeIfKilled", "integers", "0", "replaces scoreChange when it kills", "points", (-100, 100)),
        needs_first=True, changes_first=True, kills_first=True, touches=("stype",), touches_subtypes=True, kill=True,
        does=(Does("hurt"),), shield_phrase="not hurt", score_note=" while it lives",
        phrase="{if:stype|{the:stype}|{a}} loses {count:value|health point} and dies at {number:limit} or "
        "less{if:scoreChangeIfKilled| ({points:scoreChangeIfKilled})}",
        phrase_zh="{if:stype|{the:stype}|{a}}失去 {number:value} 点生命，生命不超过 {number:limit} "
        "时死亡{if:scoreChangeIfKilled|（{points:scoreChangeIfKilled}）}",
        shield_phrase_zh="伤害",
        score_note_zh="，在它存活时",
    )  # fmt: skip
    define(
        known, "removeScore", rule, "sets the score of A's player, or of a type's players, to 0",
        second, Param("stype", "sprite", "", "whose players instead of A's"),
        **A, changes_first=True, kills_second=True, only_if={"kills_second": "killSecond"}, touches=("stype",),
        does=(Does("other"), KILL_SECOND),
        phrase="the score of {if:stype|{the:stype}|{a}} drops to 0{both}",
        phrase_zh="{if:stype|{the:stype}|{a}}的得分归零{both}",
    )  # fmt: skip
    define(
        known, "shieldFrom", rule, "A's type is safe from one effect of another type for the rest of the tick",
        _sprite("stype", "from whom"), Param("ftype", "effect", None, "from which effect", required=True), **A,
        does=(Does("shield"),),
        phrase="for this moment, {a} is {safe:ftype} by {new:stype}",
        phrase_zh="此刻{new:stype}不会{safe:ftype}{a}",
    )  # fmt: skip
    define(
        known, "addTimer", rule, "executes another effect after a time",
        Param("ftype", "effect", None, "which effect; its parameters stand on the same line", required=True),
        *TIME_PARAMS,
        does=(),
        phrase="after {ticks}{if:repeating|, and again every {ticks}}, {inner}",
        phrase_zh="{ticks}后{if:repeating|以及此后每 {ticks}}，{inner}",
    )  # fmt: skip
