/**
 * What a model sees of a plan's shape; generated from `schema/`, do not edit.
 *
 * `nox -s generate` writes this file. Schema: sha256
 * 60f0e3790a0fafc886b09407913bc6868cdb89f0215a5bb5c861faa11d7bbef4
 */

/** JSON Schema of the one argument of the plan tool: the plan itself. */
export const TOOL_INPUT_SCHEMA = {
  type: "object",
  properties: {
    steps: {
      type: "array",
      items: {
        type: "object",
        properties: {
          id: {
            type: "string",
          },
          tool: {
            type: "string",
          },
          args: {
            type: "object",
          },
          bind: {
            type: "object",
            additionalProperties: {
              type: "string",
            },
          },
          after: {
            type: "array",
            items: {
              type: "string",
            },
          },
          when: {
            type: "string",
          },
          for_each: {
            type: "string",
          },
          join: {
            enum: ["all", "any"],
          },
        },
        required: ["id", "tool"],
      },
    },
    returns: {
      type: "array",
      items: {
        type: "string",
      },
    },
    output: {
      type: "string",
    },
    final: {
      type: "boolean",
    },
    on_error: {
      enum: ["fail_fast", "continue"],
    },
  },
  required: ["steps"],
} as const;
