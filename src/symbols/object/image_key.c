#include "symbols/object/image_key.h"

#include "event/image_kind.h"

struct wk_image_key wk_image_key_of(const struct wk_event *event)
{
	const struct wk_event_image *image = &event->image;
	bool is_vdso32 = wk_image_kind_of(image) == WK_IMAGE_VDSO && image->start <= UINT32_MAX;

	return (struct wk_image_key){
		.path = image->path,
		.build_id = image->build_id,
		.inode = image->inode,
		.device_major = image->device_major,
		.device_minor = image->device_minor,
		.pdb_path = image->pdb_path,
		.time_stamp = image->time_stamp,
		.image_bytes = image->image_bytes,
		.pid = event->pid,
		.map_offset = image->file_offset,
		.map_bytes = image->size_bytes,
		.vdso32_start = is_vdso32 ? image->start : 0,
		.vdso32_bytes = is_vdso32 ? image->size_bytes : 0,
		.is_kernel = image->is_kernel,
	};
}
