// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import OppiTransport
import OppiWire
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// The clients of paired servers.
@Suite struct ConnectionsTests {
  @Test(
    "an unusable proxy is an error, and no direct connection",
    arguments: ["", "socks4://proxy", "http://proxy:0"]
  )
  func unusableProxy(url: String) {
    inFlowWorld(["studio"]) { flow in
      var server = flow.paired[0]
      server.proxy = url
      let error = await #expect(throws: OppiError.self) {
        try await flow.connections.client(for: server).within(.seconds(5)).me()
      }
      #expect(error?.reason == .transport(.proxyFailed(reason: "invalid URL")))
      #expect(flow.requests == [[]])
    }
  }

  @Test("a server that was doubted is asked who it is before the first call, and once")
  func doubted() {
    inFlowWorld(["studio"]) { flow in
      var server = flow.paired[0]
      try await flow.connections.client(for: server).within(.seconds(5)).me()
      #expect(flow.requests == [["GET /me"]])
      server.isDoubted = true
      try await flow.connections.client(for: server).within(.seconds(5)).me()
      #expect(flow.requests == [["GET /me", "GET /server/info", "GET /me"]])
    }
  }

  @Test(
    "a call ends at its deadline or after the limit of its client, whichever is earlier",
    arguments: [(nil, 9, 9), (4, 9, 4), (9, 4, 4)] as [(Int?, Int, Int)]
  )
  func limit(of seconds: Int?, deadline: Int, end: Int) throws {
    let scratch = try Scratch()
    try scratch.write("token", to: "oppi-silent")
    let server = PairedServer(
      id: Fingerprint(digest: [UInt8](repeating: 1, count: 32)),
      name: "silent",
      endpoint: try .loopback(1)
    )
    let loop = EventLoop(on: LeapingKernel())
    let paths = XDGPaths(environment: [:], home: scratch.folder)
    let files = FileStore(loop: loop)
    let connections = Connections(
      network: Network(loop: loop, environment: [:], sockets: SilentSockets()),
      credentials: CredentialStore(
        paths: paths,
        environment: ["CREDENTIALS_DIRECTORY": scratch.folder],
        files: files
      ),
      tokens: AccessTokenStore(paths: paths, files: files)
    )
    let elapsed = loop.run { () -> Duration? in
      let begin = loop.now
      do throws(OppiError) {
        try await connections.client(for: server).limited(to: seconds.map { .seconds($0) })
          .within(.seconds(deadline)).me()
        return nil
      } catch {
        return error.isTimeout ? begin.duration(to: loop.now) : nil
      }
    }
    #expect(elapsed == .seconds(end))
  }
}

@Suite struct NewIDTests {
  @Test("an id is a random UUID of version 4")
  func version() {
    let loop = EventLoop(on: LeapingKernel())
    let ids = (0..<200).map { _ in loop.newID() }
    #expect(Set(ids).count == ids.count)
    let form = #/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/#
    for id in ids { #expect(id.wholeMatch(of: form) != nil, "\(id)") }
    let digits = ids.map { $0.utf8.filter { $0 != UInt8(ascii: "-") } }
    let places = (0..<32).map { place in digits.map { $0[place] } }
    for (place, values) in places.enumerated() where place != 12 && place != 16 {
      #expect(Set(values).count > 8, "digit \(place) is not random")
    }
    #expect(Set(places).count == 32, "a digit is always the same as another one")
  }
}
