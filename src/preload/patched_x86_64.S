/* Where patched functions go, with their struct wk_patched in r11: see patched.c.
 *
 * Arguments stay in their registers, and on the stack. If the caller is itself an allocator's
 * function, or called by one, the real function follows as if nothing were here. */
	.text
	.globl wk_patched_entry
	.hidden wk_patched_entry
	.type wk_patched_entry, @function
wk_patched_entry:
	.cfi_startproc
	/* relative to the program counter, four bytes */
	.cfi_personality 0x1b, wk_patched_personality
	endbr64
	movq wk_heap_busy@gottpoff(%rip), %r10
	testl $2, %fs:(%r10) /* WK_HEAP_IN_ALLOCATOR */
	jne 2f
1:	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq %rbp
	pushq %r11
	call wk_patched_call
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	/* A function that was left by longjmp is not there any more. */
2:	movq wk_patched_frame@gottpoff(%rip), %r10
	movq %fs:(%r10), %r10
	testq %r10, %r10
	je 3f
	cmpq %r10, %rsp
	ja 1b
3:	jmp *(%r11)
	.cfi_endproc
	.size wk_patched_entry, . - wk_patched_entry

	.section .note.GNU-stack, "", @progbits
