"""A mypy plugin for `.strat`, to be enabled with `plugins = ["stratframe.mypy_plugin"]`."""

from collections.abc import Callable
from functools import partial

from mypy import nodes, subtypes, typeops, types
from mypy.plugin import AttributeContext, ClassDefContext, Plugin

ACCESSORS = {
    "pandas.core.frame.DataFrame": "Strat",
    "polars.dataframe.frame.DataFrame": "Strat",
    "polars.lazyframe.frame.LazyFrame": "Strat",
    "polars.expr.expr.Expr": "StratExpr",
}
ClassHook = Callable[[ClassDefContext], None]


class StratPlugin(Plugin):
    """A plugin that gives each method of `.strat` the type of the function with the same name."""

    def get_customize_class_mro_hook(self, fullname: str) -> ClassHook | None:
        return self.declare if fullname in ACCESSORS else None

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], types.Type] | None:
        owner, _, attribute = fullname.rpartition(".")
        if attribute == "strat" and owner in ACCESSORS:
            return partial(self.accessor, ACCESSORS[owner])
        if owner == "stratframe.accessor.Strat":
            return partial(self.method, attribute)
        return None

    def accessor(self, name: str, use: AttributeContext) -> types.Type:
        symbol = self.lookup_fully_qualified(f"stratframe.accessor.{name}")
        if symbol is None or not isinstance(symbol.node, nodes.TypeInfo):
            return self.not_imported(use)
        attributes = types.ExtraAttrs({"_frame": use.type}, set(), None)
        return types.Instance(symbol.node, [], extra_attrs=attributes)

    def method(self, name: str, use: AttributeContext) -> types.Type:
        symbol = self.lookup_fully_qualified(f"stratframe.{name}")
        if not symbol or not isinstance(use.type, types.Instance) or not use.type.extra_attrs:
            return use.default_attr_type
        verb = symbol.type
        frame = use.type.extra_attrs.attrs["_frame"]
        if isinstance(verb, types.Instance):  # a verb that returns a table
            verb = subtypes.find_member("__call__", verb, verb)
        if isinstance(verb, types.Overloaded):
            verb = next(x for x in verb.items if subtypes.is_subtype(frame, x.arg_types[0]))
        bound = isinstance(verb, types.CallableType) and typeops.bind_self(verb, frame)
        return bound or self.not_imported(use)

    def declare(self, context: ClassDefContext) -> None:
        strat = nodes.Var("strat", types.AnyType(types.TypeOfAny.special_form))
        strat.info = context.cls.info
        strat.info.names["strat"] = nodes.SymbolTableNode(nodes.MDEF, strat, plugin_generated=True)

    def not_imported(self, use: AttributeContext) -> types.Type:
        use.api.fail('"strat" needs "import stratframe" in this file', use.context)
        return types.AnyType(types.TypeOfAny.from_error)


def plugin(version: str) -> type[Plugin]:
    return StratPlugin
