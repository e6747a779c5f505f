// SPDX-License-Identifier: MIT

package import OppiModel
import OppiText
package import OppiWire

extension ServerCalls {
  /// `GET /me`: succeeds if the server is reachable and accepts the token.
  package func me() async throws(OppiError) { _ = try await answer(to: .get("/me")) }

  /// `GET /server/info`; `nil` on servers without the route.
  ///
  /// Throws `.otherServer` if the server reports another identity than it was paired with, or none
  /// although it proved one. Over plain `http`, nothing else distinguishes two servers at one address.
  package func info() async throws(OppiError) -> ServerInfo? {
    let request = ServerRequest.get("/server/info").map { ServerInfo(json: $0) }
    let info = try await answer(to: request, unless: \.isNotFound)
    guard let identity = api.identity else { return info }
    let isOther =
      info?.fingerprint.map { $0 != identity.id } ?? (identity.isProven || identity.isDoubted)
    if isOther != identity.isDoubted { await identity.doubt(isOther) }
    guard !isOther else { throw .otherServer(server: api.serverName) }
    return info
  }

  /// Whether the server itself holds tool calls until they are approved.
  func hasGate() async throws(OppiError) -> Bool {
    do {
      _ = try await pendingPermissions()
      return true
    } catch  where error.isMissingRoute {
      return false
    }
  }

  /// Replaces the access token that all processes share in time, so that no command needs a request
  /// for one.
  package func keepAccessFresh() async throws(OppiError) {
    _ = try await api.access.token(for: .service, over: line)
  }

  /// `GET /workspaces`.
  func listWorkspaces() async throws(OppiError) -> [Workspace] {
    try await answer(to: .list("workspaces", at: "/workspaces") { Workspace(json: $0) })
  }

  /// The most paths of files that are kept; a server lists more.
  private static let pathLimit = 20_000

  /// The paths of the files that a session's workspace has, relative to its folder; none on servers
  /// that do not list them.
  package func filePaths(ofWorkspace id: String) async throws(OppiError) -> [String] {
    // Servers before May 2026 have the second route.
    for route in ["paths", "file-index"] {
      let request = ServerRequest.get("/workspaces/\(id)/\(route)", limit: .list).map { json in
        (json["paths"].array ?? []).prefix(Self.pathLimit).compactMap(\.path)
      }
      if let paths = try await answer(to: request, unless: \.isNotFound) { return paths }
    }
    return []
  }

  /// `GET /models`.
  func listModels() async throws(OppiError) -> [LanguageModel] {
    try await answer(to: .list("models", at: "/models") { LanguageModel(json: $0) })
  }

  /// `GET /auth/devices`: the devices that are or were paired; `nil` on servers that know no devices.
  package func listDevices() async throws(OppiError) -> [PairedDevice]? {
    try await answer(
      to: .list("devices", at: "/auth/devices") { PairedDevice(json: $0) },
      unless: \.isMissingRoute
    )
  }

  /// `DELETE /auth/devices/:id`: ends a device's access for good.
  ///
  /// - Returns: False if the server does not know the device, or had revoked it before.
  package func revokeDevice(_ id: String) async throws(OppiError) -> Bool {
    let request = ServerRequest.call("DELETE", "/auth/devices/\(id)").confirmed
    return try await answer(to: request) {
      $0.reason == .refused(404, "Unknown or already-revoked device")
    } != nil
  }

  /// `GET /schedules`, archived ones included; `nil` on servers without schedules.
  package func listSchedules() async throws(OppiError) -> Dated<[ServerSchedule]>? {
    do {
      return try await datedAnswer(
        to: .list("schedules", at: "/schedules") { ServerSchedule(json: $0) }
      )
    } catch  where error.isMissingRoute {
      return nil
    }
  }

  /// `POST /schedules/:id/run`: starts a run, or returns the one that an earlier request with the
  /// same id started.
  package func runSchedule(
    _ id: String,
    requestID: String
  ) async throws(OppiError) -> ServerScheduleRun {
    let body: JSONValue = ["requestId": .string(requestID)]
    return try await answer(
      to: ServerRequest.call("POST", "/schedules/\(id)/run", body: body)
        .reading("run") { ServerScheduleRun(json: $0["run"]) }
    )
  }
}

extension JSONValue {
  /// The path of a file, if it can be shown and typed as it is.
  fileprivate var path: String? {
    text(.name).flatMap { !$0.isEmpty && $0 == $0.safeLine(limit: 400) ? $0 : nil }
  }
}
