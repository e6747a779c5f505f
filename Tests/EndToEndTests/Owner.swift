// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import Foundation
import HTTPCodec
import OppiText
import OppiTransport
import OppiWire
import TestSupport
import Testing

/// The server's REST interface with the owner's token.
extension RunningServer {
  private static let callLimit = Duration.timeout

  /// The status and the JSON body of a `GET`; the body is `null` if it is not JSON.
  func get(_ path: String) throws -> (status: Int, json: JSONValue) {
    try call("GET", path)
  }

  /// The status and the JSON body of a request; the body is `null` if it is not JSON.
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
        let limit = EventLoop.Instant.now + Self.callLimit
        return .success(try await connection.exchange(request, until: limit).response)
      } catch {
        return .failure(error)
      }
    }
    let answer = try response.get()
    return (answer.status, (try? JSONValue(parsing: answer.body)) ?? .null)
  }

  /// Repeats a `GET` until its body meets a condition, for states that the journal does not record.
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

  /// Crashes a server and starts it again with the same configuration.
  static func again(_ server: RunningServer) async throws -> RunningServer {
    let configuration = server.configuration
    return try FakeServer.start(configuration, from: await server.crash())
  }
}

extension Home {
  /// A new home that is paired with a new server.
  static func paired(
    _ line: Line = .multiplexed,
    _ change: (inout FakeServer.Configuration) -> Void = { _ in }
  ) async throws -> (Home, RunningServer) {
    let home = try Home()
    return (home, try await home.paired(line, change))
  }

  /// Starts a server and pairs with it.
  func paired(
    _ line: Line = .multiplexed,
    _ change: (inout FakeServer.Configuration) -> Void = { _ in }
  ) async throws -> RunningServer {
    let server = try await line.start(change)
    let pairing = try await oppi("pair", "-", input: server.makeInvite().json)
    try #require(pairing.status == 0, "\(pairing)")
    return server
  }

  /// Sends a prompt to the first workspace and returns the session's id.
  func session(asking prompt: String, _ words: String...) async throws -> String {
    let outcome = try await oppi(["ask", "-q", "-w", "demo"] + words + ["--json", prompt])
    return try #require(try outcome.json()["sessionId"] as? String, "\(outcome)")
  }
}

extension Home {
  /// The history file, which 'last' is read from.
  var lastUsed: URL { folder.appending(path: ".local/state/oppi/history.jsonl") }
}

extension Outcome {
  /// The output as one JSON object a line.
  func jsonLines() throws -> [[String: Any]] {
    try outputLines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return try #require(object as? [String: Any], "\(self)")
    }
  }
}

extension Step {
  /// Whether a session is created.
  var isCreation: Bool {
    if case .request(let request, _) = self { request.method == "POST" } else { false }
  }

  func isMessage(_ type: String) -> Bool {
    if case .message(let json, _) = self { json["type"].string == type } else { false }
  }
}
