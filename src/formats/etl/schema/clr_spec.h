/* Fields of an event in a short notation, for tables in the program: "Count:u4
 * Kind:u4=Small|Large|Values{*Count Address:p Size:h8 } Rest:z".
 *
 * Types: u and h numbers of that many bytes, decimal and hexadecimal; f8 double, p pointer, z text
 * in UTF-16, g GUID. "*Field" names the earlier field that is the count; "=A|B" names 0, 1 ... */
#ifndef WK_FORMATS_ETL_SCHEMA_CLR_SPEC_H
#define WK_FORMATS_ETL_SCHEMA_CLR_SPEC_H

#include "formats/etl/schema/schema.h"

void wk_etl_clr_spec_add(struct wk_etl_schemas *schemas, const struct wk_etl_event_key *key,
			 const char *event, const char *fields);

#endif
