/**
 * What a model sees of a plan's shape; generated from `schema/`, do not edit.
 *
 * `nox -s generate` writes this file. Schema: sha256
 * a83d120a5213302592b402271deb28bc305a3cadef1641482667b7d70df64068
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
