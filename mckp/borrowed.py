"""Tuples of arrays that kernels hand on by reference.

Numba hands each number that describes an array over on its own, some 100 for a document and its
menu: for a short function that takes several times as long as what it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

T = TypeVar("T", bound="tuple[object, ...]")

if TYPE_CHECKING:

    def borrowed(cls: type[T]) -> type[T]:
        """Let kernels hand on instances by reference (to type checkers: leave it as it is)."""
        ...

else:
    from numba.core import cgutils, types
    from numba.core.datamodel import register_default
    from numba.core.datamodel.models import PointerModel
    from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
    from numba.core.pythonapi import NativeValue, unbox
    from numba.core.typing.templates import AttributeTemplate, infer_getattr
    from numba.core.typing.typeof import typeof_impl

    class Borrowed(types.Type):
        """A reference to a named tuple that nobody changes."""

        def __init__(self, dtype):
            self.dtype = dtype
            super().__init__(f"Borrowed({dtype.name})")

        def member(self, name):
            """Return the place of a member, and the type that it is read as."""
            place = self.dtype.fields.index(name)
            found = self.dtype.types[place]
            return place, Borrowed(found) if isinstance(found, types.NamedTuple) else found

    @register_default(Borrowed)
    class _Model(PointerModel):
        def from_argument(self, builder, value):
            # It is never written to, so what is read from it once need not be read again.
            value.add_attribute("noalias")
            return value

    @infer_getattr
    class _Members(AttributeTemplate):
        key = Borrowed

        def generic_resolve(self, given, name):
            return given.member(name)[1] if name in given.dtype.fields else None

    @lower_getattr_generic(Borrowed)
    def _read(context, builder, given, reference, name):
        place, found = given.member(name)
        at = cgutils.gep_inbounds(builder, reference, 0, place)
        if isinstance(found, Borrowed):
            return at
        value = context.data_model_manager[found].load_from_data_pointer(builder, at)
        return impl_ret_borrowed(context, builder, found, value)

    @unbox(Borrowed)
    def _unboxed(given, instance, c):
        whole = c.unbox(given.dtype, instance)
        model = c.context.data_model_manager[given.dtype]
        room = cgutils.alloca_once(c.builder, model.get_data_type())
        c.builder.store(model.as_data(c.builder, whole.value), room)

        def release():
            if whole.cleanup is not None:
                whole.cleanup()
            # Numba counts references to what it is handed itself, which is no array here.
            if c.context.enable_nrt:
                c.context.nrt.decref(c.builder, given.dtype, whole.value)

        return NativeValue(room, is_error=whole.is_error, cleanup=release)

    def _held(instance, context):
        found = [
            _held(each, context) if hasattr(each, "_fields") else typeof_impl(each, context)
            for each in instance
        ]
        return types.BaseTuple.from_types(found, type(instance))

    def borrowed(cls):
        """Let kernels hand on instances by reference."""
        typeof_impl.register(cls)(lambda instance, context: Borrowed(_held(instance, context)))
        return cls
