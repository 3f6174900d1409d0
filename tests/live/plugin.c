/* A library that calls what it is given. */
__attribute__((visibility("default"))) void call_back(void (*function)(unsigned), unsigned count);

void call_back(void (*function)(unsigned), unsigned count)
{
	function(count);
	__asm__ volatile("");
}
