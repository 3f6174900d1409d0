#!/usr/bin/env sh
echo hello
