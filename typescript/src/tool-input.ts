/**
 * What a model sees of a plan's shape; generated from `schema/`, do not edit.
 *
 * `nox -s generate` writes this file. Schema: sha256
 * 67b902550b13231a8ed35d067843f20ec17c96e6394be2fb4f3a7ba9628228fb
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
