#include "config.h"

#include "report/json_facts.h"

json_t *json_host(struct json_document *d, const struct host *h)
{
    json_t *o = json_object();
    json_put(d, o, "kernel", json_text_or_null(h->kernel));
    json_put(d, o, "machine", json_text_or_null(h->machine));
    json_put(d, o, "cpu_model", json_text_or_null(h->cpu_model));
    json_put(d, o, "usable_cpus", json_count(h->usable_cpus));
    json_put(d, o, "memory_bytes", json_count(h->memory_bytes));
    json_put(d, o, "page_size_bytes", json_count(h->page_size_bytes));
    json_put(d, o, "libc", json_text_or_null(h->libc));
    json_put(d, o, "governor", json_text_or_null(h->governor));
    json_put(d, o, "mitigations", json_text_or_null(h->mitigations));
    json_put(d, o, "load_1m", json_number(h->load_1m));
    json_put(d, o, "steal_ratio", json_number(h->steal_ratio));
    json_put(d, o, "clock_read_ns", json_number(h->clock_read_ns));
    return o;
}

json_t *json_notes(struct json_document *d, const struct notes *notes, bool with_path)
{
    json_t *array = json_array();
    for (size_t i = 0; i < notes->n; i++) {
        json_t *o = json_object();
        json_put(d, o, "code", json_text(notes->items[i].code));
        json_put(d, o, "message", json_text(notes->items[i].message));
        if (with_path)
            json_put(d, o, "path", json_text(notes->items[i].path));
        json_append(d, array, o);
    }
    return array;
}
