// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText
import Synchronization

// The faults of servers with session sockets.
extension VirtualServer {
  /// The intervention of the world's faults at a step, or else that of the configuration.
  func intervene(at step: Step) -> Intervention {
    let faults = world.network.faults.withLock(\.self)
    if case .handedOver = step, world.happens(faults.unrecorded) {
      world.mark("killed before the record of a launch")
      // It returns before or after the end of the lease.
      die(for: world.time(upTo: .seconds(200)))
      return .hang
    }
    guard case .request(let request, _) = step, request.method == "POST" else {
      return given?(step) ?? .proceed
    }
    if request.target.isRefresh { noteRefresh() }
    if request.target.hasPrefix("/auth/"), world.happens(faults.failedRefreshes) {
      world.mark("token refused by a failing server")
      return world.choose([.answer(status: 500, error: "database is locked"), .hang, .drop])
    }
    if world.happens(faults.expiries), mayExpireTokens() {
      world.mark("tokens ended")
      expireTokens()
    }
    if request.isKeyedLaunch, world.happens(faults.conflicts) {
      world.mark("launch in progress")
      return .answer(status: 409, error: "launch_in_progress")
    }
    guard world.happens(faults.lostAnswers) else { return given?(step) ?? .proceed }
    world.mark("answer of \(request.target.isRefresh ? "a refresh" : "a POST") lost")
    return .performThenDrop
  }
}

extension HTTPRequest {
  /// Whether the request is for a new session, with a key by which a repeat is recognised.
  fileprivate var isKeyedLaunch: Bool {
    target.hasSuffix("/sessions")
      && (try? JSONValue(parsing: body))?["idempotencyKey"].string != nil
  }
}

extension String {
  fileprivate var isRefresh: Bool { self == "/auth/refresh" }
}

// MARK: - What a server was sent

extension VirtualServer {
  /// A prompt that a server was sent, and the session if the request or message names it.
  struct Delivery: Sendable {
    var prompt: String
    var sessionID: String?
  }

  /// The prompts that the server was sent over streams, and in requests that had access.
  var deliveries: [Delivery] {
    let overStreams = messages.compactMap { message in
      message.json["message"].string.map { Delivery(prompt: $0, sessionID: message.sessionID) }
    }
    return overStreams
      + requests.compactMap { request in
        guard request.method == "POST", ![401, 403].contains(request.status) else { return nil }
        let body = (try? JSONValue(parsing: request.body)) ?? .null
        return (body["prompt"].string ?? body["message"].string).map {
          Delivery(prompt: $0, sessionID: body["sessionId"].string)
        }
      }
  }

  /// The number of sessions that were requested; requests with the same key lead to the same one.
  var launches: Int {
    let made = requests.filter { request in
      request.method == "POST" && request.path.hasSuffix("/sessions")
        && ![401, 403].contains(request.status)
    }
    let keys = made.map { (try? JSONValue(parsing: $0.body))?["idempotencyKey"].string }
    return Set(keys.compactMap(\.self)).count + keys.count { $0 == nil }
  }

  func wasSent(_ prompt: String) -> Bool { deliveries.contains { $0.prompt == prompt } }
}

// MARK: - Answers to dialogs

extension VirtualServer {
  /// An answer to a dialog, whether or not the dialog was still pending.
  struct DialogAnswer: Sendable {
    var dialog: String
    var json: JSONValue

    /// The action in the words of the gates of older servers.
    var action: String {
      json["value"].string == "Yes" || json["confirmed"] == true ? "allow" : "deny"
    }
  }

  /// The answers to dialogs over streams, and in requests that had access.
  var dialogAnswers: [DialogAnswer] {
    let overREST = requests.filter { request in
      request.path.hasSuffix("/command") && ![401, 403].contains(request.status)
    }
    let bodies = overREST.map { (try? JSONValue(parsing: $0.body)) ?? .null } + messages.map(\.json)
    return bodies.filter { $0["type"] == "extension_ui_response" }
      .map { DialogAnswer(dialog: $0["id"].string ?? "", json: $0) }
  }
}
