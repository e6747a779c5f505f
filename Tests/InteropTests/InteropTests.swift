// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The program against an independent WebSocket implementation: Python's `websockets`, in a server
/// that offers compression, fragments each message and sends pings in between.
@Suite(.fewAtOnce) struct InteropTests {
  /// A Python with the library: the one that `.ci/run` installs, otherwise the system's.
  private static let python: String? = {
    let prepared = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../.build/interop/bin/python").standardized.path
    return [prepared, "/usr/bin/python3", "/usr/local/bin/python3"].first { python in
      guard FileManager.default.isExecutableFile(atPath: python) else { return false }
      let process = Process()
      process.executableURL = URL(filePath: python)
      process.arguments = ["-c", "import websockets.server, websockets.http11"]
      process.standardError = FileHandle.nullDevice
      guard (try? process.runInTime()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }
  }()

  @Test(
    "pair, list and ask work against Python's websockets",
    .enabled(if: python != nil, "no Python with websockets; .ci/run installs it")
  )
  func mainJob() async throws {
    let server = try PythonServer(python: try #require(Self.python))
    defer { server.stop() }
    let home = try Home()
    let pairing = try await home.oppi("pair", "-", input: server.invite)
    #expect(pairing.status == 0, "\(pairing)")
    let list = try await home.oppi("workspaces")
    #expect(list.output.contains("|-CzT5M5I\tinterop\t"), "\(list)")
    let ask = try await home.oppi("ask", "-w", "interop", "-t", "high", "--json", "grüße 😀")
    #expect(ask.status == 0, "\(ask)")
    #expect(try ask.json()["state"] as? String == "started")
    #expect(try ask.json()["sessionId"] as? String == "_PuA2eDo")
    server.stop()
    let log = try server.log()
    #expect(
      log.compactMap { $0["type"] as? String } == ["subscribe", "set_thinking_level", "prompt"]
    )
    #expect(log.compactMap { $0["message"] as? String } == ["grüße 😀"])
    // The program may exit before the server has read its close frame.
    #expect(log.compactMap { $0["close"] as? Int }.allSatisfy { $0 == 1000 })
  }
}

/// The server of `server.py` as a child process.
private final class PythonServer {
  private let process = Process()
  private let output = Pipe()
  private let port: Int

  init(python: String) throws {
    process.executableURL = URL(filePath: python)
    process.arguments = [
      URL(filePath: #filePath).deletingLastPathComponent().appending(path: "server.py").path
    ]
    process.standardOutput = output
    try process.runInTime()
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      guard let byte = try output.fileHandleForReading.read(upToCount: 1)?.first else { break }
      line.append(byte)
    }
    port = try #require(Int(String(decoding: line.dropLast(), as: UTF8.self)))
  }

  var invite: String {
    """
    {"v":3,"host":"127.0.0.1","port":\(port),"pairingToken":"pt_INTEROP","name":"python",\
    "fingerprint":"sha256:XXEnevFwRhgjP4XbcrylhiY8z2Q6ADGfhoQQP3X-H7Q"}
    """
  }

  func stop() {
    guard process.isRunning else { return }
    // A child inherits the blocked signals of its thread; SIGKILL cannot be blocked.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// The messages and close codes that the server received; complete after ``stop()``.
  func log() throws -> [[String: Any]] {
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    return try data.split(separator: UInt8(ascii: "\n")).compactMap {
      try JSONSerialization.jsonObject(with: $0) as? [String: Any]
    }
  }
}
