# In front of ./do, for fingers that type make.
.PHONY: all check demo install asan lint fuzz bench clean
all:
	@./do build
check:
	@./do test
demo install asan lint fuzz bench clean:
	@./do $@
