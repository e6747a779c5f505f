// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents

/// What contradicts itself is refused before anything is read or asked.
extension Ask {
  static let validate: @Sendable (Options) throws(UsageError) -> Void = {
    (options) throws(UsageError) in
    if options.session != nil {
      let newOnly = [
        ("--workspace", !options.workspaces.isEmpty), ("--model", options.model != nil),
        ("--name", options.name != nil),
      ]
      if let (flag, _) = newOnly.first(where: \.1) {
        throw UsageError(.contradiction("\(flag) is for a new session, --session for an old one"))
      }
    }
    if options.isWaiting, options.isFollowing {
      throw UsageError(.contradiction("--follow waits, too; give one of --wait and --follow"))
    }
    if options.isFollowing, options.workspaces.count > 1 {
      throw UsageError(.contradiction("--follow shows one turn; use --wait with several -w"))
    }
    let isStaying = options.isWaiting || options.isFollowing
    if options.onAsk ?? .wait != .wait, !isStaying {
      throw UsageError(.contradiction("--on-ask goes with --wait or --follow"))
    }
    if options.isQueueing || options.key != nil, isStaying {
      throw UsageError(.contradiction("--queue and --key go with a prompt that is not waited for"))
    }
    if let expiry = options.expiry, expiry < .seconds(1) {
      throw UsageError(.custom("--expires expects 1s or more"))
    }
    if options.expiry != nil, !options.isQueueing {
      throw UsageError(.contradiction("--expires goes with --queue"))
    }
    if options.key != nil, options.workspaces.count > 1 {
      throw UsageError(.contradiction("--key stands for one prompt; give one -w"))
    }
    if options.isAgain {
      guard options.file == nil, options.images.isEmpty, options.prompt.count <= 1,
        options.prompt.allSatisfy({ Int($0).map { $0 > 0 } ?? false })
      else {
        throw UsageError(.contradiction("--again takes a number of 'oppi history', and no prompt"))
      }
      return
    }
    if options.file != nil, !options.prompt.isEmpty {
      throw UsageError(.contradiction("the prompt comes from --file or from the command line"))
    }
    if options.prompt.dropLast().contains("-") {
      throw UsageError(.contradiction("- reads standard input and comes last, behind the words"))
    }
    if options.file == nil, options.prompt.isEmpty {
      throw UsageError(.custom("no prompt"), hint: "give it as words, with -F FILE, or - for stdin")
    }
  }
}
