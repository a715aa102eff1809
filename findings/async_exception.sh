#!/usr/bin/env bash
# An exception for another thread that is taken back leaves CPython 3.11 unable to trace.
#
# The documentation says of PyThreadState_SetAsyncExc(id, NULL): "the pending exception (if any) for
# the thread is cleared". On CPython 3.11 and 3.12 the interpreter then looks for an exception at
# every call and loop for good: loops are slower, and on 3.11 the first function that is traced
# (sys.settrace, so coverage and debuggers too) runs its first instruction again and again. There
# need not be a pending exception. 3.13 is right: it keeps this per thread, and clears it on looking.
# So: do not take it back; let it be raised, and catch it.
#
# Seen 2026-11: CPython 3.11.7 hangs; 3.12.1 loops 1.2 times as long; 3.13.0 does neither.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cat > "$folder/taken_back.py" <<'PYTHON'
import ctypes
import faulthandler
import sys
import threading

ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(threading.get_ident()), None)
faulthandler.dump_traceback_later(5, exit=True)
sys.settrace(lambda *_: None)
(lambda: 1)()
sys.settrace(None)
print("traced")
PYTHON
for version in 3.11 3.12 3.13; do
    said=$(uv run --no-project --python "$version" "$folder/taken_back.py" 2>&1 || true)
    case $said in *traced*) seen=traced ;; *Timeout*) seen=hangs ;; *) seen="did not run: $said" ;; esac
    echo "$(uv run --no-project --python "$version" python -V): $seen"
    [ "$version" = 3.11 ] && expected=hangs || expected=traced
    [ "$seen" = "$expected" ] || { echo "this has changed: $expected was expected"; exit 1; }
done
