/** Real models for `npm run demo -- --live PROVIDER MODEL`, or one line on what is missing. */

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { BedrockModel, type Model } from "@strands-agents/sdk";

export const PROVIDERS = ["bedrock", "anthropic", "openai"] as const;

/** A provider cannot be used yet; the message says what to set. */
export class NotReadyError extends Error {}

/**
 * Make a provider's model.
 *
 * @throws NotReadyError if credentials or a package are missing.
 */
export async function liveModel(provider: string, modelId: string): Promise<Model> {
  switch (provider) {
    case "bedrock":
      if (!hasAwsCredentials()) {
        throw new NotReadyError(
          "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, and " +
            "AWS_REGION to use bedrock.",
        );
      }
      return new BedrockModel({ modelId });
    case "anthropic": {
      needKey("ANTHROPIC_API_KEY", provider);
      const { AnthropicModel } = await installed(
        import("@strands-agents/sdk/models/anthropic"),
        "@anthropic-ai/sdk",
      );
      return new AnthropicModel({ modelId, maxTokens: 4096 });
    }
    case "openai": {
      needKey("OPENAI_API_KEY", provider);
      const { OpenAIModel } = await installed(
        import("@strands-agents/sdk/models/openai"),
        "openai",
      );
      return new OpenAIModel({ modelId });
    }
    default:
      throw new NotReadyError(`${provider} is not one of ${PROVIDERS.join(", ")}.`);
  }
}

function needKey(name: string, provider: string): void {
  if (!process.env[name]) throw new NotReadyError(`Set ${name} to use ${provider}.`);
}

async function installed<T>(loading: Promise<T>, name: string): Promise<T> {
  try {
    return await loading;
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new NotReadyError(`Install the provider's package: npm install ${name}`);
  }
}

function hasAwsCredentials(): boolean {
  const { AWS_ACCESS_KEY_ID, AWS_PROFILE } = process.env;
  return Boolean(AWS_ACCESS_KEY_ID || AWS_PROFILE || existsSync(join(homedir(), ".aws")));
}
