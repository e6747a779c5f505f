// SPDX-License-Identifier: MIT

import EventLoop
import Foundation
import HTTPCodec
import LoopbackServer
import OppiModel
import OppiTransport
import TestSupport
import Testing

/// What the owner of a server sees over its REST interface, beside the program under test.
extension RunningServer {
  private static let callLimit = Duration.patience

  /// The status and the body of an answer to a `GET`; no body that is JSON is `null`.
  func get(_ path: String) throws -> (status: Int, json: JSONValue) {
    try call("GET", path)
  }

  /// The status and the body of an answer; no body that is JSON is `null`.
  func call(
    _ method: String,
    _ path: String,
    body: JSONValue? = nil
  ) throws -> (status: Int, json: JSONValue) {
    let loop = try EventLoop()
    let endpoint = try #require(Endpoint(scheme: .http, host: "127.0.0.1", port: port))
    var request = HTTPRequest(
      method: method,
      target: path,
      headers: HTTPHeaders([("Authorization", "Bearer \(ownerToken)")])
    )
    request.body = body.map { Array($0.text().utf8) } ?? []
    let response: Result<HTTPResponse, TransportError> = loop.run { [request] in
      let connection = HTTPConnection(
        network: Network(loop: loop, environment: [:]),
        destination: Network.Destination(endpoint: endpoint)
      )
      do throws(TransportError) {
        return .success(try await connection.exchange(request, until: .now + Self.callLimit))
      } catch {
        return .failure(error)
      }
    }
    let answer = try response.get()
    return (answer.status, (try? JSONValue(parsing: answer.body)) ?? .null)
  }

  /// Asks again and again until the answer fulfils a condition: for what no journal tells.
  @discardableResult
  func poll(
    _ path: String,
    until condition: @Sendable (JSONValue) -> Bool
  ) async throws -> JSONValue {
    while true {
      let json = try get(path).json
      if condition(json) { return json }
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  /// The path of a session in the first workspace.
  func path(_ id: String) -> String {
    "/workspaces/\(configuration.workspaces[0].id)/sessions/\(id)"
  }

  /// The ids of the sessions in the first workspace.
  func sessionIDs() throws -> [String] {
    let list = try get("/workspaces/\(configuration.workspaces[0].id)/sessions").json
    return list["sessions"].array?.compactMap(\.["id"].string) ?? []
  }

  /// The streams that were asked for.
  var streams: Int { journal.requests.count { $0.path.hasSuffix("/stream") } }

  /// Starts the server again that has crashed.
  static func again(_ server: RunningServer) async throws -> RunningServer {
    let configuration = server.configuration
    return try LoopbackServer.start(configuration, from: await server.crash())
  }
}

extension Home {
  /// Starts a server and pairs with it.
  func paired(
    _ line: Line = .multiplexedHTTP,
    _ change: (inout LoopbackServer.Configuration) -> Void = { _ in }
  ) async throws -> RunningServer {
    let server = try await line.start(change)
    let pairing = try await oppi("pair", "-", input: server.makeInvite().json)
    try #require(pairing.status == 0, "\(pairing)")
    return server
  }

  /// Asks in the first workspace and returns the session's id.
  func session(asking prompt: String, _ words: String...) async throws -> String {
    let outcome = try await oppi(["ask", "-q", "-w", "demo"] + words + ["--json", prompt])
    return try #require(try outcome.json()["sessionId"] as? String, "\(outcome)")
  }
}

extension Home {
  /// What 'last' means.
  var lastUsed: URL { folder.appending(path: ".local/state/oppi/history.jsonl") }

  /// Waits until the program has noted a session as the one used last, which it does when the
  /// prompt is known to be there.
  func wait(forSession id: String) async throws {
    while (try? String(contentsOf: lastUsed, encoding: .utf8))?.contains(id) != true {
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}

extension Outcome {
  /// The output as one object a line.
  func jsonLines() throws -> [[String: Any]] {
    try outputLines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return try #require(object as? [String: Any], "\(self)")
    }
  }

  /// The error object of `--json`.
  func error() throws -> [String: Any] {
    let line = try #require(errorLines.last, "\(self)")
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    return try #require(object?["error"] as? [String: Any], "\(self)")
  }
}

extension Line {
  /// One line of each dialect, for what does not depend on TLS.
  static let plain: [Line] = [.multiplexedHTTP, .perSessionHTTP]
}
