// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// Rejects contradictory options before anything is read or sent.
extension Ask {
  static let validate: @Sendable (Options) throws(UsageError) -> Void = {
    (options) throws(UsageError) in
    if options.session != nil {
      let newOnly = [
        ("--workspace", !options.workspaces.isEmpty), ("--model", options.model != nil),
        ("--name", options.name != nil),
      ]
      if let (flag, _) = newOnly.first(where: \.1) {
        throw UsageError(
          .contradiction("\(flag) requires a new session; it cannot be used with --session")
        )
      }
    }
    if options.isWaiting, options.isFollowing {
      throw UsageError(.contradiction("--follow includes --wait; give only one of them"))
    }
    if options.isFollowing, options.workspaces.count > 1 {
      throw UsageError(.contradiction("--follow shows one turn; use --wait with several -w"))
    }
    let isStaying = options.isWaiting || options.isFollowing
    if options.onAsk ?? .wait != .wait, !isStaying {
      throw UsageError(.contradiction("--on-ask requires --wait or --follow"))
    }
    if options.onLimit != .fail, !isStaying {
      throw UsageError(.contradiction("--on-limit requires --wait or --follow"))
    }
    let waitOnly = [
      ("--schema", options.schema != nil), ("--verify", options.verify != nil),
      ("--then", options.then != nil),
    ]
    if let (flag, _) = waitOnly.first(where: \.1), !isStaying {
      throw UsageError(.contradiction("\(flag) requires --wait or --follow"))
    }
    if options.verifyRetries != nil, options.verify == nil {
      throw UsageError(.contradiction("--verify-retries requires --verify"))
    }
    if options.then != nil, options.workspaces.count > 1 {
      throw UsageError(.contradiction("--then requires a single -w"))
    }
    if options.maxCost != nil, !isStaying {
      throw UsageError(.contradiction("--max-cost requires --wait or --follow"))
    }
    if options.isQueueing || options.key != nil, isStaying {
      throw UsageError(.contradiction("--queue and --key cannot be used with --wait or --follow"))
    }
    if let expiry = options.expiry, expiry < .seconds(1) {
      throw UsageError(.custom("--expires expects 1s or more"))
    }
    if options.expiry != nil, !options.isQueueing {
      throw UsageError(.contradiction("--expires requires --queue"))
    }
    if options.key != nil, options.workspaces.count > 1 {
      throw UsageError(.contradiction("--key requires a single -w"))
    }
    if options.isAgain {
      guard options.file == nil, options.images.isEmpty, options.prompt.count <= 1,
        options.prompt.allSatisfy({ Int($0).map { $0 > 0 } ?? false })
      else {
        throw UsageError(.contradiction("--again takes a number from 'oppi history', not a prompt"))
      }
      return
    }
    if options.file != nil, !options.prompt.isEmpty {
      throw UsageError(.contradiction("give the prompt either with --file or on the command line"))
    }
    if options.prompt.dropLast().contains("-") {
      throw UsageError(.contradiction("- (standard input) must be the last argument"))
    }
    if options.file == nil, options.prompt.isEmpty {
      throw UsageError(
        .custom("no prompt"),
        hint: "give it as arguments, with -F FILE, or as - for standard input"
      )
    }
  }
}
