// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// Records what this machine replies to the requests of a server.
struct ReplyRecorder: Sendable {
  let log: SentReplyLog
  let server: PairedServer
  /// The command that runs.
  let surface: String
  /// Whether an option or a setting replies, not the user.
  var isAutomatic = false
  let reporter: any IntentReporter

  /// A failure is a warning: the reply was sent.
  fileprivate func record(_ reply: SentReply) async {
    var reply = reply
    (reply.serverID, reply.server) = (server.id, server.name)
    (reply.surface, reply.isAutomatic) = (surface, isAutomatic)
    do {
      try await log.append(reply)
    } catch {
      await reporter.warn("the decision is not in this machine's record", because: error)
    }
  }
}

extension IntentAPIClient {
  /// A copy for replies by an option or a setting.
  var onItsOwn: IntentAPIClient {
    var client = self
    client.recorder?.isAutomatic = true
    return client
  }

  /// Sends a reply, and records it with its result; every reply of this machine passes through here.
  func recording(
    _ reply: RequestReply,
    to request: HumanRequest,
    of sessionID: String?,
    sending send: () async throws(IntentError) -> DecisionOutcome
  ) async throws(IntentError) -> DecisionOutcome {
    func record(_ outcome: DecisionOutcome?) async {
      let now = loop.timestamp()
      await recorder?.record(
        SentReply(reply, to: request, in: sessionID, outcome: outcome, at: now)
      )
    }
    do throws(IntentError) {
      let outcome = try await send()
      await record(outcome)
      return outcome
    } catch {
      await record(nil)
      throw error
    }
  }
}
