#include "formats/reports/xml.h"

#ifdef WK_HAS_EXPAT
#include <expat.h>

#include "base/heap.h"
#include "base/mem.h"
#endif

const char *wk_xml_attribute(const char *const *attributes, const char *name)
{
	for (; attributes[0]; attributes += 2)
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	return NULL;
}

#ifdef WK_HAS_EXPAT

bool wk_xml_is_read(void)
{
	return true;
}

#define STEP (1u << 30) /* expat counts bytes in an int */

struct reading {
	XML_Parser parser;
	const struct wk_xml_handler *handler;
	void *context;
	bool has_entities;
};

static void on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
	struct reading *reading = data;

	reading->handler->start(reading->context, name, (const char *const *)attributes);
}

static void on_end(void *data, const XML_Char *name)
{
	struct reading *reading = data;

	reading->handler->end(reading->context, name);
}

static void on_text(void *data, const XML_Char *text, int len)
{
	struct reading *reading = data;

	reading->handler->text(reading->context, wk_str_of(text, (size_t)len));
}

static void on_entity(void *data, const XML_Char *name, int is_parameter, const XML_Char *value,
		      int value_length, const XML_Char *base, const XML_Char *system_id,
		      const XML_Char *public_id, const XML_Char *notation)
{
	struct reading *reading = data;

	(void)name, (void)is_parameter, (void)value, (void)value_length, (void)base;
	(void)system_id, (void)public_id, (void)notation;
	reading->has_entities = true;
	XML_StopParser(reading->parser, XML_FALSE);
}

static bool fail(const struct reading *reading, struct wk_err *err)
{
	long long at = (long long)XML_GetCurrentByteIndex(reading->parser);

	if (reading->has_entities)
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "the XML defines entities, which are not read");
	/* Of an empty text some versions of expat do not know the place. */
	return wk_fail(err, WK_ECORRUPT, at < 0 ? 0 : (uint64_t)at,
		       "the XML is broken at line %llu: %s",
		       (unsigned long long)XML_GetCurrentLineNumber(reading->parser),
		       XML_ErrorString(XML_GetErrorCode(reading->parser)));
}

/* Text that was converted to UTF-8 may still declare UTF-16. */
static const char *encoding_of(struct wk_bytes bytes)
{
	char head[100] = "";
	size_t left = wk_bytes_left(&bytes);

	if (left < 5 || memcmp(bytes.at, "<?xml", 5) != 0)
		return NULL;
	memcpy(head, bytes.at, left < sizeof(head) ? left : sizeof(head) - 1);
	head[strcspn(head, ">")] = '\0';
	return strstr(head, "UTF-16") || strstr(head, "utf-16") ? "UTF-8" : NULL;
}

/* A handler may raise: the parser is not entered again, and its memory is freed with the heap. */
static const XML_Memory_Handling_Suite by_heap = { wk_try_alloc, wk_try_realloc, wk_free };

bool wk_xml_read(struct wk_bytes bytes, const struct wk_xml_handler *handler, void *context,
		 struct wk_err *err)
{
	struct reading reading = { .handler = handler, .context = context };
	bool ok = true, is_last = false;

	reading.parser = XML_ParserCreate_MM(encoding_of(bytes), &by_heap, NULL);
	if (!reading.parser)
		wk_heap_raise();
	XML_SetUserData(reading.parser, &reading);
	XML_SetElementHandler(reading.parser, on_start, on_end);
	XML_SetCharacterDataHandler(reading.parser, handler->text ? on_text : NULL);
	XML_SetEntityDeclHandler(reading.parser, on_entity);
	while (ok && !is_last) {
		size_t left = wk_bytes_left(&bytes);
		size_t len = left < STEP ? left : STEP;

		is_last = len == left;
		ok = XML_Parse(reading.parser, (const char *)bytes.at, (int)len, is_last) ==
		     XML_STATUS_OK;
		wk_bytes_skip(&bytes, len);
	}
	if (!ok)
		fail(&reading, err);
	XML_ParserFree(reading.parser);
	return ok;
}

#else

bool wk_xml_is_read(void)
{
	return false;
}

bool wk_xml_read(struct wk_bytes bytes, const struct wk_xml_handler *handler, void *context,
		 struct wk_err *err)
{
	(void)bytes, (void)handler, (void)context;
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		       "this build of wick cannot read XML: it was built without expat");
}

#endif
