#include "record/queue.h"

#include <stdlib.h>
#include <time.h>

#include "base/mem.h"

void wk_queue_init(struct wk_queue *queue, size_t limit_bytes)
{
	pthread_condattr_t attr;

	*queue = (struct wk_queue){ .limit_bytes = limit_bytes };
	pthread_mutex_init(&queue->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->changed, &attr);
	pthread_condattr_destroy(&attr);
}

static void free_chunks(struct wk_chunk *chunk)
{
	while (chunk) {
		struct wk_chunk *next = chunk->next;

		wk_free(chunk);
		chunk = next;
	}
}

void wk_queue_fini(struct wk_queue *queue)
{
	while (queue->first) {
		struct wk_round *round = queue->first;

		queue->first = round->next;
		free_chunks(round->first);
		wk_free(round);
	}
	free_chunks(queue->spare);
	pthread_cond_destroy(&queue->changed);
	pthread_mutex_destroy(&queue->lock);
}

/* With an empty queue there is always space: a full round may be larger than the limit. */
bool wk_queue_has_space(struct wk_queue *queue, size_t bytes, bool is_urgent)
{
	size_t most = queue->limit_bytes;
	bool has_room;

	if (!is_urgent && most > WK_QUEUE_USUAL_BYTES)
		most = WK_QUEUE_USUAL_BYTES;
	pthread_mutex_lock(&queue->lock);
	has_room = queue->rounds == 0 || queue->used_bytes + bytes <= most;
	pthread_mutex_unlock(&queue->lock);
	return has_room;
}

void wk_queue_wait_idle(struct wk_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	while (queue->rounds && !queue->is_abandoned)
		pthread_cond_wait(&queue->changed, &queue->lock);
	pthread_mutex_unlock(&queue->lock);
}

struct wk_chunk *wk_queue_chunk(struct wk_queue *queue)
{
	struct wk_chunk *chunk;

	pthread_mutex_lock(&queue->lock);
	chunk = queue->spare;
	if (chunk)
		queue->spare = chunk->next;
	queue->used_bytes += WK_CHUNK_BYTES;
	pthread_mutex_unlock(&queue->lock);
	if (!chunk)
		chunk = wk_alloc(sizeof(*chunk) + WK_CHUNK_BYTES);
	chunk->next = NULL;
	chunk->len = 0;
	chunk->live = 0;
	return chunk;
}

void wk_queue_put(struct wk_queue *queue, const struct wk_round *round, bool wakes)
{
	struct wk_round *copy = wk_alloc(sizeof(*copy));

	*copy = *round;
	copy->next = NULL;
	pthread_mutex_lock(&queue->lock);
	if (queue->last)
		queue->last->next = copy;
	else
		queue->first = copy;
	queue->last = copy;
	queue->rounds++;
	if (wakes)
		pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

struct wk_round *wk_queue_pop(struct wk_queue *queue, uint64_t patience_ns)
{
	struct timespec until;
	struct wk_round *round;

	clock_gettime(CLOCK_MONOTONIC, &until);
	patience_ns += (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(patience_ns / 1000000000);
	until.tv_nsec = (long)(patience_ns % 1000000000);
	pthread_mutex_lock(&queue->lock);
	while (!queue->first)
		if (pthread_cond_timedwait(&queue->changed, &queue->lock, &until) != 0)
			break;
	round = queue->first;
	if (round) {
		queue->first = round->next;
		if (!queue->first)
			queue->last = NULL;
	}
	pthread_mutex_unlock(&queue->lock);
	return round;
}

void wk_queue_release(struct wk_queue *queue, struct wk_chunk *chunk)
{
	pthread_mutex_lock(&queue->lock);
	chunk->next = queue->spare;
	queue->spare = chunk;
	queue->used_bytes -= WK_CHUNK_BYTES;
	pthread_mutex_unlock(&queue->lock);
}

void wk_queue_done(struct wk_queue *queue, struct wk_round *round)
{
	wk_free(round);
	pthread_mutex_lock(&queue->lock);
	queue->rounds--;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

void wk_queue_abandon(struct wk_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->is_abandoned = true;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}
