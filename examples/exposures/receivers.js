/*
 * Functions for `tracking: { send }`. Each takes the client of a service, and sends exposures and tracked events in the
 * form that this service knows. If a receiver rejects, it gets the same events again, with the same ids. PostHog and
 * Segment get no events without a user: one id for all would make them one person.
 */
import { appendFile } from 'node:fs/promises';

/** Sends to PostHog's client for Node. PostHog's experiments look for `$feature_flag_called`. */
export const toPostHog = (posthog) => (events) => {
  for (const { id, time, targetingKey, ...event } of events) {
    if (targetingKey === undefined) continue;
    const base = { uuid: id, distinctId: targetingKey, timestamp: new Date(time) };
    if (event.kind === 'track') {
      posthog.capture({ ...base, event: event.name, properties: event.details });
    } else {
      const properties = { $feature_flag: event.flagKey, $feature_flag_response: event.variant };
      posthog.capture({ ...base, event: '$feature_flag_called', properties });
    }
  }
};

/** Sends to Segment's client for Node. */
export const toSegment = (analytics) => (events) => {
  for (const { id, time, targetingKey, ...event } of events) {
    if (targetingKey === undefined) continue;
    const base = { messageId: id, userId: targetingKey, timestamp: new Date(time) };
    if (event.kind === 'track') {
      analytics.track({ ...base, event: event.name, properties: event.details });
    } else {
      const properties = { experiment_name: event.flagKey, variation_name: event.variant };
      analytics.track({ ...base, event: 'Experiment Viewed', properties });
    }
  }
};

/**
 * Sends to a logger of @opentelemetry/api-logs. An exposure is the log event of OpenFeature's telemetry, which has no
 * event for `track`.
 */
export const toLogs = (logger) => (events) => {
  for (const event of events) {
    if (event.kind === 'track') continue;
    logger.emit({
      eventName: 'feature_flag.evaluation',
      timestamp: new Date(event.time),
      attributes: {
        'feature_flag.key': event.flagKey,
        'feature_flag.result.variant': event.variant,
        'feature_flag.result.reason': event.reason.toLowerCase(),
        'feature_flag.context.id': event.targetingKey,
        'feature_flag.set.id': event.namespace,
        ...(event.version !== undefined && { 'feature_flag.version': event.version }),
      },
    });
  }
};

/** Writes to a file, with one event in each line. */
export const toFile = (path) => (events) =>
  appendFile(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''));

/**
 * Writes with a client of pg to a table whose columns have the names of the fields:
 * `id uuid primary key, kind text, time timestamptz, "targetingKey" text, "flagKey" text, variant text, name text, details jsonb`.
 * It leaves other fields out.
 */
export const toPostgres = (client) => (events) =>
  client.query(
    'insert into events select * from jsonb_populate_recordset(null::events, $1) on conflict (id) do nothing',
    [JSON.stringify(events)],
  );
