// SPDX-License-Identifier: MIT

import OppiClient
import OppiText
import OppiWire

/// Lists and revokes the devices that are paired with servers.
struct ServerDevices: Sendable {
  /// A device as listed by its server.
  struct Row: Sendable {
    let server: PairedServer
    let device: PairedDevice
    /// Whether it is this machine's.
    let isThis: Bool
  }

  let context: Services

  /// The devices of servers; a server that knows no devices fails with ``OppiError``.
  ///
  /// - Throws: `CancellationError`.
  func answers(
    of servers: [PairedServer]
  ) async throws(CancellationError) -> [Fleet.Answer<[Row]?>] {
    try await context.fleet(of: servers).answers { (calls, server) throws(OppiError) in
      guard let devices = try await calls.listDevices() else { return nil }
      let own = await ownID(on: server)
      return devices.map { Row(server: server, device: $0, isThis: $0.id == own) }
    }
  }

  /// What each id begins with.
  private static let idMark = "dev_"

  /// Finds a device by its id, a unique start of it, or its name, which must be unique.
  ///
  /// Revoked devices are found by their id only. The empty word, and a start that all ids have, find
  /// none: they would select any device that is the only one.
  ///
  /// - Throws: ``OppiError``; `OppiError` if the server cannot be queried.
  func device(named word: String, on server: PairedServer) async throws -> Row {
    let answers = try await answers(of: [server])
    guard let rows = try answers.first?.result.get() else {
      throw OppiError.noDevices(server: server.name)
    }
    if let exact = rows.first(where: { $0.device.id == word }) { return exact }
    let live = rows.filter { !$0.device.isRevoked }
    let isNamed = { (row: Row) in
      !word.isEmpty && row.device.name.lowercased() == word.lowercased()
    }
    let byName = live.filter(isNamed)
    let matches = byName.isEmpty ? live.filter { $0.device.id.hasPrefix(word) } : byName
    guard matches.count <= 1 else {
      let ids = matches.prefix(10).map { "\($0.device.id) (\($0.device.name))" }
      throw OppiError(
        .ambiguousName,
        "'\(word.safeLine(limit: 80))' is ambiguous: it matches several devices",
        hints: ["use one of: \(ids.joined(separator: ", "))"]
      )
    }
    guard let match = matches.first, !byName.isEmpty || !Self.idMark.hasPrefix(word) else {
      throw OppiError(
        .notSet,
        "\(server.name) has no device '\(word.safeLine(limit: 80))'",
        hints: [OppiError.listDevices]
      )
    }
    return match
  }

  /// Revokes a device.
  ///
  /// - Returns: False if it had been revoked before.
  /// - Throws: If the server cannot be queried, or refuses.
  func revoke(_ row: Row) async throws(OppiError) -> Bool {
    let api = try await context.connections.client(for: row.server)
    let wasPaired = try await api.within(context.answerLimit).revokeDevice(row.device.id)
    if row.isThis {
      await context.accessTokens.note(of: row.device.id, on: row.server.id) {
        $0.refuse(.revoked, nil)
      }
    }
    return wasPaired
  }

  /// Revokes this machine's own device, if the server knows devices.
  ///
  /// - Returns: The device whose revocation failed, and why.
  func revokeThis(on server: PairedServer) async -> (deviceID: String, error: OppiError)? {
    guard let id = await ownID(on: server) else { return nil }
    do throws(OppiError) {
      let api = try await context.connections.client(for: server)
      _ = try await api.within(context.answerLimit).revokeDevice(id)
      return nil
    } catch {
      switch error.reason {
      case .accessRefused(.revoked)?, .accessRefused(.unknownDevice)?: return nil
      default: return (id, error)
      }
    }
  }

  /// Removes the access token of a server, which all processes share.
  func forgetAccess(to server: PairedServer) async {
    do {
      try await context.accessTokens.store(nil, of: server.id)
    } catch {
      // It expires within minutes.
      await context.reporter.detail("could not remove the access token", because: error)
    }
  }

  /// This machine's device; `nil` if it has a token, or no credential.
  private func ownID(on server: PairedServer) async -> String? {
    guard case .device(let device) = try? await context.credentials.credential(for: server) else {
      return nil
    }
    return device.deviceID
  }
}

extension OppiError {
  /// The server issues tokens that it does not list.
  static func noDevices(server: String) -> OppiError {
    OppiError(
      .serverError,
      "\(server) does not list devices; it is older than September 2026",
      hints: ["revoke all tokens on the server's machine: oppi token rotate"]
    )
  }

  fileprivate static let listDevices = "list the devices with: oppi servers devices"

  static func alreadyRevoked(_ device: String, server: String) -> OppiError {
    OppiError(.requestGone, "\(server) had already revoked \(device)", hints: [listDevices])
  }
}
