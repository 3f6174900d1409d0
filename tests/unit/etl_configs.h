/* A trace with each record of the machine's configuration that wick reads, for tests and for a seed
 * of the fuzz target. */
#ifndef WK_TEST_ETL_CONFIGS_H
#define WK_TEST_ETL_CONFIGS_H

#include "etl_events.h"

static const struct wk_guid etl_config_ex = {
	0x9b79ee91, 0xb5fd, 0x41c0, { 0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0 } };
static const struct wk_guid etl_winsat = {
	0xed54dff8, 0xc409, 0x4cf6, { 0xbf, 0x83, 0x05, 0xe1, 0xe6, 0x1a, 0x09, 0xc4 } };

/* A text in a field of so many bytes. */
static inline void put_field16(struct wk_buf *to, const char *text, size_t bytes)
{
	size_t used = 2 * (strlen(text) + 1);

	put_text16(to, text);
	put(to, 0, bytes - used);
}

static inline void etl_give(struct etl_maker *m, uint16_t version, uint16_t hook, struct wk_buf *p)
{
	etl_kernel(m, version, hook, 40 * ETL_MS, p);
	wk_buf_fini(p);
}

static inline void etl_machine(struct etl_maker *m)
{
	struct wk_buf p = { 0 };

	put(&p, 3000, 4);
	put(&p, 4, 4);
	put(&p, 4096, 4); /* MB */
	put(&p, 4096, 4);
	put(&p, 65536, 4);
	put_field16(&p, "BOX", 512);
	put_field16(&p, "HOME", 268);
	put(&p, 0, 16);
	put(&p, 12, 2); /* ARM64 */
	put(&p, 0, 6);
	put(&p, 3200, 4);
	etl_give(m, 3, 0x0b0a, &p);
	put(&p, 1, 4); /* a processor */
	put(&p, 0, 4);
	put(&p, 3000, 4);
	put_field16(&p, "Some CPU", 128);
	put_field16(&p, "Family 6", 128);
	etl_give(m, 2, 0x0b23, &p);
	put(&p, 1, 4); /* nodes of memory */
	put(&p, 0xf, 8);
	put(&p, 0, 8);
	etl_give(m, 2, 0x0b18, &p);
	put(&p, 2, 4); /* groups */
	put(&p, 0x7, 8);
	put(&p, 0x1, 8);
	etl_give(m, 2, 0x0b1a, &p);
	put(&p, 2, 4);
	put(&p, 0, 4);
	put(&p, 1, 4);
	etl_give(m, 2, 0x0b1b, &p);
	put_text16(&p, "Maker");
	put_text16(&p, "Product");
	put_text16(&p, "01/02/2024");
	put_text16(&p, "F1");
	etl_give(m, 2, 0x0b19, &p);
	put(&p, 0x0001010000000000 >> 24, 8); /* S3, S4 */
	etl_give(m, 2, 0x0b10, &p);
	put(&p, 96, 4);
	put(&p, 144, 4);
	etl_give(m, 2, 0x0b1c, &p);
	put(&p, 0x3, 4);
	etl_give(m, 2, 0x0b1d, &p);
	put(&p, 0x0123456789abcdef, 8);
	put(&p, 0x0123456789abcdef, 8);
	etl_give(m, 2, 0x0b1e, &p);
	put(&p, 0x000a000055f01234, 8);
	put(&p, 3, 4);
	put(&p, 0, 4);
	etl_give(m, 2, 0x0b21, &p);
	put_text16(&p, "UPDATE.1");
	put_text16(&p, "RS:1");
	etl_give(m, 2, 0x0b22, &p);
	put(&p, 0x010001, 4);
	etl_give(m, 2, 0x0b24, &p);
	put(&p, 0, 8);
	put(&p, 2, 4);
	put(&p, 1, 4);
	etl_give(m, 2, 0x0b25, &p);
}

static inline void etl_video(struct etl_maker *m)
{
	static const char *const names[] = { "chip", "dac", "A card", "bios", "dev" };
	struct wk_buf p = { 0 };

	put(&p, 1 << 20, 4);
	put(&p, 1920, 4);
	put(&p, 1080, 4);
	put(&p, 32, 4);
	put(&p, 60, 4);
	for (size_t i = 0; i < 5; i++)
		put_field16(&p, names[i], 512);
	put(&p, 0, 4);
	etl_give(m, 2, 0x0b0e, &p);
}

static inline void etl_disks(struct etl_maker *m)
{
	struct wk_buf p = { 0 };

	put(&p, 7, 4);
	put(&p, 512, 4);
	put(&p, 63, 4);
	put(&p, 255, 4);
	put(&p, 1000, 8);
	put(&p, 0, 16);
	put_field16(&p, "A disk", 512);
	put(&p, 2, 4);
	put(&p, 1, 2);
	put_field16(&p, "C", 6);
	etl_give(m, 2, 0x0b0b, &p);
	put(&p, 4096, 8);
	put(&p, 1 << 30, 8);
	put(&p, 7, 4);
	put(&p, 112, 4);
	put(&p, 1, 4);
	put_field16(&p, "E:", 8);
	put(&p, 0, 4);
	put(&p, 2, 4);
	put(&p, 8, 4);
	put(&p, 512, 4);
	put(&p, 0, 4);
	put(&p, 1000, 8);
	put(&p, 262144, 8);
	put_field16(&p, "NTFS", 32);
	put(&p, 0, 4);
	etl_give(m, 2, 0x0b0c, &p);
	put(&p, 0, 64);
	put_text16(&p, "F:");
	put_text16(&p, "UDF");
	put_text8(&p, "A reader   ");
	put_text8(&p, "Its maker ");
	etl_give(m, 2, 0x0b12, &p);
}

static inline void etl_networks(struct etl_maker *m)
{
	struct wk_buf p = { 0 };

	put(&p, 0x665544332211, 8);
	put(&p, 6, 4);
	put(&p, 9, 4);
	put(&p, 9, 4);
	put_text16(&p, "A network card");
	put_text16(&p, "fe80::1;10.0.0.2");
	put_text16(&p, "10.0.0.1");
	etl_give(m, 2, 0x0b0d, &p);
	put(&p, 32, 4);
	put(&p, UINT32_MAX, 4);
	put(&p, 5000, 4);
	put(&p, 120, 4);
	etl_give(m, 2, 0x0b11, &p);
}

/* Which may be a filter over another. */
static inline void etl_interface(struct etl_maker *m, const char *name, uint8_t flags)
{
	struct wk_buf p = { 0 };

	put(&p, 0, 28);
	put_field16(&p, name, 514);
	put_field16(&p, "Some card", 514);
	put(&p, 0, 96);
	put(&p, flags, 4);
	put(&p, 1, 4);
	put(&p, 0, 32);
	put(&p, 54000000, 8);
	put(&p, 0, 156);
	etl_classic(m, &etl_config_ex, 36, 40 * ETL_MS, &p);
	wk_buf_fini(&p);
}

static inline void etl_service(struct etl_maker *m, uint32_t pid, uint32_t state, uint32_t tag,
			       const char *name, const char *display)
{
	struct wk_buf p = { 0 };

	put(&p, pid, 4);
	put(&p, state, 4);
	put(&p, tag, 4);
	put_text16(&p, name);
	put_text16(&p, display);
	put_text16(&p, pid ? "host.exe" : "");
	put_text16(&p, "");
	etl_give(m, 3, 0x0b0f, &p);
}

static inline void etl_devices(struct etl_maker *m)
{
	struct wk_buf p = { 0 };

	put(&p, 0, 24);
	put(&p, 0, 4);
	put(&p, 28, 4);
	put_text16(&p, "PCI\\VEN_1");
	put_text16(&p, "A thing");
	put_text16(&p, "My thing");
	put_text16(&p, "\\Device\\1");
	put_text16(&p, "thingdrv");
	etl_give(m, 5, 0x0b16, &p);
	put(&p, 0, 12);
	put(&p, 0xfffffffc, 4);
	put(&p, 10, 4);
	put_text16(&p, "PCI\\VEN_1");
	etl_give(m, 3, 0x0b15, &p);
	put(&p, 1, 4);
	put(&p, 2, 4);
	put(&p, 0x410, 4);
	put(&p, 9, 4);
	put_text16(&p, "Channel 1");
	etl_give(m, 2, 0x0b17, &p);
}

/* XML as Windows writes it: UTF-16, packed, its size in front, or another one. */
static inline void etl_assessment_of_size(struct etl_maker *m, uint8_t opcode, const char *xml,
					  uint32_t claimed)
{
	struct wk_buf plain = { 0 }, p = { 0 };

	put_text16(&plain, xml);
	plain.len -= 2;
	put(&p, 1, 4);
	put(&p, claimed ? claimed : plain.len, 4);
	lz_pack_lznt1(&p, (const uint8_t *)plain.at, plain.len);
	etl_classic(m, &etl_winsat, opcode, 40 * ETL_MS, &p);
	wk_buf_fini(&plain);
	wk_buf_fini(&p);
}

static inline void etl_assessment(struct etl_maker *m, uint8_t opcode, const char *xml)
{
	etl_assessment_of_size(m, opcode, xml, 0);
}

static inline void etl_build(struct etl_maker *m, const char *product)
{
	struct wk_buf p = { 0 };

	put(&p, 132000000000000000, 8);
	put_text16(&p, "22621.1.amd64fre");
	put_text16(&p, product);
	etl_classic(m, &etl_config_ex, 32, 40 * ETL_MS, &p);
	wk_buf_reset(&p);
	put_text16(&p, "C:\\Windows\\system32");
	put_text16(&p, "C:\\Windows\\");
	etl_classic(m, &etl_config_ex, 33, 40 * ETL_MS, &p);
	wk_buf_reset(&p);
	put_text16(&p, "\\Device\\HarddiskVolume9\\");
	etl_classic(m, &etl_config_ex, 34, 40 * ETL_MS, &p);
	wk_buf_fini(&p);
}

static inline void etl_kernel_masks(struct etl_maker *m, const uint32_t *masks, size_t count)
{
	struct wk_buf p = { 0 };

	for (size_t i = 0; i < 8; i++)
		put(&p, i < count ? masks[i] : 0, 4);
	put(&p, 80, 4);
	etl_give(m, 2, 0x0005, &p);
}

static inline void etl_whole_config(struct etl_maker *m)
{
	static const uint32_t masks[] = { 0x0001270f, 0x80000002, 0, 0x5 };

	m->mode = 1;
	m->buffer_bytes = 16384;
	etl_begin_file(m);
	etl_volume(m, "\\Device\\HarddiskVolume3\\", "C:\\");
	etl_kernel_masks(m, masks, 4);
	etl_machine(m);
	etl_video(m);
	etl_disks(m);
	etl_end_buffer(m, 0);
	etl_networks(m);
	etl_interface(m, "Ethernet", 1);
	etl_interface(m, "Ethernet-Filter-0000", 2);
	etl_service(m, 100, 4, 55, "Dhcp", "Address service");
	etl_service(m, 100, 4, 56, "Themes", "Looks");
	etl_service(m, 0, 1, 57, "Fax", "Fax");
	etl_devices(m);
	etl_end_buffer(m, 1);
	etl_build(m, "Windows 8 Pro");
	etl_assessment(m, 37,
		       "<SystemConfig><System><MotherBoard><Product><![CDATA[A board]]></Product>"
		       "</MotherBoard></System><Memory><TotalPhysical><Bytes>1024</Bytes>"
		       "</TotalPhysical></Memory><Graphics><DriverVersion Friendly=\"31.0\">872"
		       "</DriverVersion></Graphics></SystemConfig>");
	etl_assessment(m, 33, "<WinSPR><SystemScore>9.05</SystemScore></WinSPR>");
	etl_end_buffer(m, 0);
}

#endif
