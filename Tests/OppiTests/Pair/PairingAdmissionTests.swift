// SPDX-License-Identifier: MIT

import OppiSystem
import OppiText
import OppiTransport
import OppiWire
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient

/// Which invites may pair a server again after the user was asked.
@Suite struct PairingAdmissionTests {
  private static let id = Fingerprint(digest: [UInt8](repeating: 1, count: 32))

  private static func server(at host: String) throws -> PairedServer {
    let endpoint = try #require(Endpoint(scheme: .http, host: host, port: 7749))
    return PairedServer(id: id, name: "studio", endpoint: endpoint)
  }

  private static func invite() throws -> Invite {
    let fields: JSONValue = [
      "v": 3, "host": "new.lan", "port": 7749, "scheme": "http", "token": "",
      "pairingToken": "pt_EXAMPLE", "name": "studio", "fingerprint": .string(id.text),
    ]
    return try Invite(fields.text())
  }

  @Test("an invite replaces only the place that the user has agreed to replace")
  func agreed() throws {
    let scratch = try Scratch()
    try onLoop { [paths = XDGPaths(environment: [:], home: scratch.folder)] loop in
      let files = FileStore(loop: loop)
      let store = ServerStore(paths: paths, files: files)
      let known = try Self.server(at: "old.lan")
      try await store.update { $0.servers.append(known) }
      let pairing = Pairing(
        network: Network(loop: loop, environment: [:]),
        servers: store,
        credentials: CredentialStore(paths: paths, environment: [:], files: files),
        tokens: AccessTokenStore(paths: paths, files: files)
      )
      let invite = try Self.invite()
      for replaced in [nil, invite.address, try Self.server(at: "earlier.lan").address] {
        let error = #expect(throws: OppiError.self) {
          try pairing.admit(invite, to: Self.id, replacing: replaced)
        }
        #expect(error?.message.contains("but the invite names ") == true)
      }
      #expect(try pairing.admit(invite, to: Self.id, replacing: known.address)?.id == Self.id)
    }
  }

  @Test(
    "a name that is taken, in any case, gets the first free number",
    arguments: [
      ("studio", [], "studio"), ("studio", ["office"], "studio"),
      ("studio", ["studio"], "studio 2"), ("Studio", ["studio"], "Studio 2"),
      ("studio", ["studio", "STUDIO 2"], "studio 3"),
      ("studio", ["studio", "studio 3"], "studio 2"), ("studio", ["studio 2"], "studio"),
    ] as [(String, [String], String)]
  )
  func names(label: String, others: [String], name: String) {
    #expect(Pairing.unique(label, among: others) == name)
  }
}
