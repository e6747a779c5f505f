// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// `oppi outbox`: the prompts that wait for their server.
enum Outbox {
  static let command: Command = Command(
    "outbox",
    "Show and manage the prompts that wait for their server",
    group: Group.triggers,
    defaultSubcommand: "list",
    subcommands: [
      OutboxList.command, OutboxShow.command, OutboxFlush.command, OutboxRetry.command,
      OutboxDrop.command,
    ]
  )

  /// The options of a verb that is about one prompt.
  struct OnePrompt: Sendable, Equatable {
    var key: OutboxKey?

    static let argument: Argument<OnePrompt> = .positional(
      "key",
      required: true,
      completion: .dynamic("outbox"),
      \.key,
      "The prompt's key"
    )
  }
}

extension OutboxStore {
  /// For how long another process that is at a prompt is waited for.
  static let patience = Duration.seconds(5)

  /// The prompt of a key.
  ///
  /// - Throws: `OppiError` where there is none, what ``load(_:)`` throws else.
  func existing(_ key: OutboxKey?) throws -> QueuedPrompt {
    guard let key, let prompt = try load(key) else {
      throw OppiError(
        .noSuchPrompt,
        "no prompt '\(key?.text ?? "")' in the outbox",
        hints: ["see what is there with: oppi outbox list --all"]
      )
    }
    return prompt
  }

  /// Runs the body with the prompt of a key, which nobody else can change meanwhile.
  ///
  /// - Throws: `OppiError` where there is none, or another process is at it for too long; what the
  ///   body throws.
  func changing<Result>(
    _ key: OutboxKey,
    _ body: (QueuedPrompt) async throws -> Result
  ) async throws -> Result {
    let result: Swift.Result<Result, any Error>
    do {
      result = try await claim(key, patience: Self.patience) { () throws(FileError) in
        await Swift.Result(catching: { try await body(existing(key)) })
      }
    } catch FileError.lockHeld {
      throw OppiError(.locked, "another process is at the prompt \(key)", hints: ["try again"])
    }
    return try result.get()
  }
}

extension Result where Failure == any Error {
  /// What a body returns or throws.
  init(catching body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
