/* A recording of programs none of which is here.
 *
 *	linux_modules OUT OFFSET PATH,BUILDID,PID,SAMPLES...
 *
 * The process PID has the file PATH mapped alone, which has this build id, and so many samples at
 * its OFFSET (hexadecimal), a millisecond each in the order of the words. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/perf/write.h"
#include "base/mem.h"

#define BASE 0x500000000000u
#define MS   1000000u

struct module {
	char path[128], id[64];
	unsigned pid, samples;
};

static struct wk_build_id id_of(const char *digits)
{
	struct wk_build_id id = { 0 };
	unsigned byte;

	for (; id.size < sizeof(id.bytes) && sscanf(digits, "%2x", &byte) == 1; digits += 2)
		id.bytes[id.size++] = (uint8_t)byte;
	return id;
}

static bool tell(struct wk_sink *sink, struct wk_event event)
{
	return wk_sink_emit(sink, &event, NULL);
}

static bool tell_module(struct wk_sink *sink, const struct module *module)
{
	const char *name = strrchr(module->path, '/');
	struct wk_event process = { .kind = WK_EVENT_PROCESS, .pid = module->pid,
				    .tid = module->pid, .cpu = WK_NO_CPU };
	struct wk_event image = process;

	process.process.change = WK_PROCESS_SEEN;
	process.process.name = wk_str_c(name ? name + 1 : module->path);
	image.kind = WK_EVENT_IMAGE;
	image.image = (struct wk_event_image){ .start = BASE, .size_bytes = 0x100000,
					       .path = wk_str_c(module->path),
					       .device_major = 8, .inode = 1000 + module->pid,
					       .build_id = id_of(module->id) };
	return tell(sink, process) && tell(sink, image);
}

static bool tell_samples(struct wk_sink *sink, const struct module *module, uint64_t offset,
			 uint64_t *time_ns)
{
	uint64_t address = BASE + offset;
	bool ok = true;

	for (unsigned i = 0; i < module->samples && ok; i++) {
		struct wk_event event = { .kind = WK_EVENT_SAMPLE, .time_ns = *time_ns += MS,
					  .pid = module->pid, .tid = module->pid };

		event.sample = (struct wk_event_sample){ .weight = MS, .address = address,
							 .user_chain = &address, .user_count = 1,
							 .user_is_exact = true };
		ok = tell(sink, event);
	}
	return ok;
}

static bool write_recording(int fd, const struct module *modules, size_t count, uint64_t offset)
{
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, NULL);
	struct wk_sink sink = wk_perf_data_writer_sink(writer);
	struct wk_event source = { .kind = WK_EVENT_SOURCE };
	uint64_t time_ns = MS;
	bool ok;

	source.source = (struct wk_event_source){ .name = wk_str_c("cpu-clock"),
						  .unit = wk_str_c("ns"), .is_cpu_time = true };
	ok = tell(&sink, source);
	for (size_t i = 0; i < count && ok; i++)
		ok = tell_module(&sink, &modules[i]);
	for (size_t i = 0; i < count && ok; i++)
		ok = tell_samples(&sink, &modules[i], offset, &time_ns);
	ok = wk_perf_data_writer_finish(writer, NULL) && ok;
	wk_perf_data_writer_free(writer);
	return ok;
}

int main(int argc, char **argv)
{
	struct module *modules = wk_alloc_zeroed((size_t)argc, sizeof(*modules));
	int fd = argc > 3 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	bool ok = fd >= 0 && modules;

	for (int i = 3; ok && i < argc; i++)
		ok = sscanf(argv[i], "%127[^,],%63[^,],%u,%u", modules[i - 3].path,
			    modules[i - 3].id, &modules[i - 3].pid, &modules[i - 3].samples) == 4;
	ok = ok && write_recording(fd, modules, (size_t)(argc - 3), strtoull(argv[2], NULL, 16));
	if (fd >= 0)
		ok &= close(fd) == 0;
	wk_free(modules);
	return ok ? 0 : 2;
}
