/* The percentile distribution of latency as HdrHistogram prints it, for its plotters
 * (http://hdrhistogram.github.io/HdrHistogram/plotFiles.html): in ms, with all digits of the ns. */
#include "config.h"

#include "base/histogram.h"
#include "base/text.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>

/* Lines for each halving of what is left to 100 %. */
enum { TICKS = 5 };

/* The share that comes after q: as many steps again wherever half of the rest is done. */
static double next_share(double q)
{
    double halvings = floor(log2(1 / (1 - q))) + 1;
    return q + 1 / (TICKS * exp2(halvings));
}

static void put_line(FILE *out, double value_ns, double q, uint64_t count)
{
    fprintf(out, "%12.6f %2.12f %10" PRIu64, value_ns / 1e6, q, count);
    if (q < 1)
        fprintf(out, " %14.2f\n", 1 / (1 - q));
    else
        fputs("            inf\n", out);
}

static void put_distribution(FILE *out, const struct histogram *h)
{
    double q = 0, n = (double)h->count;
    uint64_t seen = 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (h->bucket[i] == 0)
            continue;
        seen += h->bucket[i];
        uint64_t value = histogram_highest(i) < h->max ? histogram_highest(i) : h->max;
        if (seen == h->count)
            value = h->max;
        for (; q <= (double)seen / n && q < 1 - 1e-12; q = next_share(q)) {
            put_line(out, (double)value, q, seen);
            if (seen == h->count)
                break; /* the last one: 100 % tells it */
        }
    }
    put_line(out, (double)h->max, 1, h->count);
}

static void put_histogram(FILE *out, const struct histogram *h)
{
    struct moments m;
    histogram_moments(h, &m);
    fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
            "1/(1-Percentile)");
    put_distribution(out, h);
    fprintf(out, "#[Mean    = %12.6f, StdDeviation   = %12.6f]\n", m.mean / 1e6, m.stddev / 1e6);
    fprintf(out, "#[Max     = %12.6f, Total count    = %12" PRIu64 "]\n", (double)h->max / 1e6,
            h->count);
    fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n", HISTOGRAM_POWERS + 1,
            HISTOGRAM_LINEAR);
}

int report_hgrm(const struct report *report, FILE *out, struct err *err)
{
    (void)err;
    const struct run *run = report->run;
    fputs("# Latency in milliseconds.\n", out);
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        const struct histogram *h = c->histogram[OF_LATENCY];
        char name[300];
        if (c->status != CASE_OK || h == NULL || h->count == 0)
            continue;
        fprintf(out, "# %s\n", text_printable(c->id, name, sizeof name));
        put_histogram(out, h);
    }
    return 0;
}
