// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import TestSupport
import Testing

@testable import Oppi

@Suite("StatusFile")
struct StatusFileTests {
  private let scratch: Scratch
  private let paths: XDGPaths
  private let file: RecordFile<FleetStatus>

  init() throws {
    scratch = try Scratch()
    paths = XDGPaths(environment: ["XDG_RUNTIME_DIR": scratch.folder], home: "/nowhere")
    file = RecordFile(paths.statusFile, in: try .forTests(), .passing)
  }

  @Test("the last snapshot is loaded, and the file has mode 600 and no leftovers")
  func roundTrip() throws {
    #expect(file.usable() == nil)
    for seed in 1...3 {
      var maker = FleetMaker(seed: UInt64(seed))
      let fleet = maker.fleet()
      try file.save(fleet)
      #expect(file.usable() == fleet)
    }
    #expect(file.path == "\(scratch.folder)/oppi/status.json")
    #expect(scratch.names(in: "oppi") == ["status.json"])
    #expect(scratch.mode("oppi") == 0o700 && scratch.mode("oppi/status.json") == 0o600)
  }

  @Test(
    "an unusable file counts as missing, and is replaced",
    arguments: ["", "{", "[]", "{}", #"{"version":1,"at":"x","servers":[]}"#]
  )
  func useless(text: String) throws {
    try scratch.write(text, to: "oppi/status.json")
    #expect(file.usable() == nil)
    let fleet = FleetStatus(at: .noon, servers: [])
    try file.save(fleet)
    #expect(file.usable() == fleet)
  }

  @Test("a file of a later version is not used and not replaced")
  func newer() throws {
    let text = #"{"version":2,"at":1,"servers":[]}"#
    try scratch.write(text, to: "oppi/status.json")
    #expect(file.usable() == nil)
    #expect(throws: FileError.newerVersion(path: file.path, version: 2)) {
      try file.save(FleetStatus(at: .noon, servers: []))
    }
    #expect(scratch.read("oppi/status.json") == text)
  }

  @Test("a file that others can write to is not used")
  func foreign() throws {
    let text = FleetStatus(at: .noon, servers: []).json.text()
    try scratch.write(text, to: "oppi/status.json", mode: 0o666)
    #expect(file.usable() == nil)
  }
}
