/** A features file with one flag of each kind. */
export const FEATURES = `
version: "1.4"
namespace: default
flags:
  - key: on
    name: on
    type: BOOLEAN_FLAG_TYPE
    enabled: true
  - key: off
    name: off
    type: BOOLEAN_FLAG_TYPE
    enabled: false
  - key: half
    name: half
    type: BOOLEAN_FLAG_TYPE
    enabled: false
    rollouts:
      - threshold: { percentage: 100, value: true }
  - key: staff-only
    name: staff-only
    type: BOOLEAN_FLAG_TYPE
    enabled: false
    rollouts:
      - segment: { key: staff, value: true }
  - key: colour
    name: colour
    type: VARIANT_FLAG_TYPE
    enabled: true
    variants: [{ key: blue }]
    rules:
      - segment: everyone
        distributions: [{ variant: blue, rollout: 100 }]
  - key: limit
    name: limit
    type: VARIANT_FLAG_TYPE
    enabled: true
    variants: [{ key: "25", default: true }]
  - key: layout
    name: layout
    type: VARIANT_FLAG_TYPE
    enabled: true
    variants: [{ key: wide, attachment: { columns: [1, 2], sticky: true } }]
    rules:
      - segment: everyone
        distributions: [{ variant: wide, rollout: 100 }]
  - key: retired
    name: retired
    type: VARIANT_FLAG_TYPE
    enabled: false
    variants: [{ key: old, default: true }]
  - key: early
    name: early
    type: VARIANT_FLAG_TYPE
    enabled: true
    variants: [{ key: "yes" }]
    rules:
      - segment: since-2024
        distributions: [{ variant: "yes", rollout: 100 }]
  - key: nobody
    name: nobody
    type: VARIANT_FLAG_TYPE
    enabled: true
    variants: [{ key: blue }]
    rules:
      - segment: staff
        distributions: [{ variant: blue, rollout: 100 }]
  - key: bare-match
    name: bare-match
    type: VARIANT_FLAG_TYPE
    enabled: true
    variants: [{ key: blue }]
    rules:
      - segment: everyone
segments:
  - key: everyone
    name: everyone
    match_type: ALL_MATCH_TYPE
  - key: staff
    name: staff
    match_type: ALL_MATCH_TYPE
    constraints: [{ type: STRING_COMPARISON_TYPE, property: team, operator: eq, value: staff }]
  - key: since-2024
    name: since-2024
    match_type: ALL_MATCH_TYPE
    constraints: [{ type: DATETIME_COMPARISON_TYPE, property: since, operator: gte, value: "2024-01-01T00:00:00Z" }]
`;
