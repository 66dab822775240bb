#include "config.h"

#include "stats/noise.h"

#include <math.h>

#define PI 3.14159265358979323846
#define CONFIDENCE 0.95

enum { HALVINGS = 100 };

/* P(|T| <= t): the finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4. */
static double student_within(size_t degrees, double t)
{
    double angle = atan(t / sqrt((double)degrees));
    double cosine = cos(angle), square = cosine * cosine;
    size_t first = degrees % 2 == 0 ? 0 : 1;
    double term = degrees % 2 == 0 ? 1 : cosine, sum = 0;
    for (size_t power = first; power + 2 <= degrees; power += 2) {
        sum += term;
        term *= square * ((double)power + 1) / ((double)power + 2);
    }
    if (degrees % 2 == 0)
        return sin(angle) * sum;
    return (angle + sin(angle) * sum) * 2 / PI;
}

double student_t(size_t degrees, double probability)
{
    double low = 0, high = 1;
    while (student_within(degrees, high) < probability)
        high *= 2;
    for (int i = 0; i < HALVINGS; i++) {
        double t = low + (high - low) / 2;
        if (student_within(degrees, t) < probability)
            low = t;
        else
            high = t;
    }
    return high;
}

void noise_estimate(const double *logs, size_t n, struct noise *noise)
{
    *noise = (struct noise){n, NAN, NAN, NAN};
    if (n < 2)
        return;
    double sum = 0, squares = 0, least = logs[0], most = logs[0];
    for (size_t i = 0; i < n; i++) {
        sum += logs[i];
        least = fmin(least, logs[i]);
        most = fmax(most, logs[i]);
    }
    for (size_t i = 0; i < n; i++)
        squares += (logs[i] - sum / (double)n) * (logs[i] - sum / (double)n);
    noise->stddev = sqrt(squares / (double)(n - 1));
    noise->range = expm1(most - least);
    noise->bound = expm1(sqrt(2) * noise->stddev * student_t(n - 1, CONFIDENCE));
}
