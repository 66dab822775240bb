/* The steps of a search for a rate as JSON. */
#include "config.h"

#include "report/json_result.h"

json_t *json_rate_search(struct json_document *d, const struct run_case *c)
{
    if (c->n_steps == 0)
        return json_null();
    json_t *o = json_object(), *steps = json_array();
    for (size_t i = 0; i < c->n_steps; i++) {
        const struct rate_step *step = &c->steps[i];
        json_t *one = json_object();
        json_put(d, one, "rate", step->rate > 0 ? json_number(step->rate) : json_null());
        json_put(d, one, "requests_per_s", json_number(step->requests_per_s));
        json_put(d, one, "value_ns", json_count(step->value_ns));
        json_put(d, one, "kept", json_boolean(step->kept));
        json_append(d, steps, one);
    }
    json_put(d, o, "found_per_s", c->found_rate > 0 ? json_number(c->found_rate) : json_null());
    json_put(d, o, "steps", steps);
    return o;
}
