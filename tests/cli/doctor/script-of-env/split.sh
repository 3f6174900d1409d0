#!/usr/bin/env -S LANG=C sh -e
echo hello
