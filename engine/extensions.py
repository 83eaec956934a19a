"""Everything for effects, sprite classes and kernels of one's own, in one place.

Declarations: `effect` and `sprite_class` register a name with the function that runs it, `Param` declares a parameter,
`unregister` takes a name out again.
Addresses to records: `state_at`, `sprite_at`, `type_at`, `effect_at`. Parameters: `own_number`. Changes:
`add_sprite`, `kill`, `active` and `passive` (movement), which keep the books of a state. Kernels: `entry_point`,
`inner`, `inlined`, `load64`, `invoke2`. docs/language/extending.md and docs/kernels.md have worked examples; more that
a function may call is in the modules of `pcg.engine.kernel` that are imported here.
"""

from pcg.engine.kernel.groups import effect_at, own_number, type_at
from pcg.engine.kernel.layout import sprite_at, state_at
from pcg.engine.kernel.physics import active, passive
from pcg.engine.kernel.runtime import entry_point, inlined, inner, invoke2, load64
from pcg.engine.kernel.store import add_sprite, kill
from pcg.engine.vgdl.extensions import effect, sprite_class, unregister
from pcg.engine.vgdl.ontology_params import Param

__all__ = [
    "Param",
    "active",
    "add_sprite",
    "effect",
    "effect_at",
    "entry_point",
    "inlined",
    "inner",
    "invoke2",
    "kill",
    "load64",
    "own_number",
    "passive",
    "sprite_at",
    "sprite_class",
    "state_at",
    "type_at",
    "unregister",
]
