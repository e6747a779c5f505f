// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The error types of all modules: one without a text for users would be reported as a bug of the
/// program.
@Suite struct ErrorTypesTests {
  /// The types without a text of their own, and where their errors get one.
  ///
  /// Their errors leave no function that throws errors of any type.
  private static let converted = [
    "AnswerSchema.Defect": "AskInput.schema",
    "ArgumentValueError": "UsageError, ConfigFile.Settings.value",
    "ChildProcess.Failure": "CredentialStore, TriggerEnvironment, WatchEscalation",
    "FleetView.Failure": "a state of the console's board, never thrown",
    "DesktopError": "WatchService, HealthCheck",
    "HTTPEncodingError": "TransportError.malformedRequest",
    "HTTPError": "TransportError.malformedAnswer",
    "HandshakeError": "TransportError.upgradeRefused",
    "JSONError": "FileError.corrupt, UnusableAnswer.malformed",
    "KeyProgram.Failure": "OppiError.keyProgram",
    "OutputClosed": "OppiProgram.perform",
    "PromptTemplate.Failure": "Shortcut",
    "ProtocolError": "TransportError.webSocketBroken",
    "ScheduleError": "Schedulers, AddSchedule",
    "SharedLibrary.Failure": "DesktopError.noLibrary, CryptoError.unavailable",
    "TransportError": "OppiError.transport",
    "UnusableAnswer": "ServerCalls",
  ]

  @Test("every error type has a text for users, or is converted where it is caught")
  func all() throws {
    var (declared, explained): (Set<String>, Set<String>) = ([], [])
    for file in try Self.sources() {
      let text = try String(contentsOf: file, encoding: .utf8)
      declared.formUnion(try Self.types(conformingTo: "Error", in: text))
      explained.formUnion(try Self.types(conformingTo: "ExplainedError", in: text))
    }
    #expect(declared.count > 30 && explained.contains("FileError"))
    #expect(explained.isDisjoint(with: Self.converted.keys))
    let all = declared.subtracting(["ExplainedError"])
    let forgotten = all.subtracting(explained).subtracting(Self.converted.keys)
    #expect(forgotten.isEmpty, "\(forgotten.sorted()) would be reported as bugs")
    #expect(Set(Self.converted.keys).subtracting(all).isEmpty)
  }

  /// The sources, without those of the server in tests and the demo.
  private static func sources() throws -> [URL] {
    let folder = URL.package.appending(path: "Sources")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return paths.filter { $0.hasSuffix(".swift") && !$0.hasPrefix("OppiHost/") }
      .map { folder.appending(path: $0) }
  }

  /// The full names of the types that declare a conformance; the sources are indented by level.
  private static func types(conformingTo name: String, in text: String) throws -> [String] {
    let kinds = "enum|struct|class|actor|extension|protocol"
    let pattern = #"( *)(?:\w+ )*(?:\#(kinds)) ([\w.]+)(?:<.*?>)?(?:: ([^{]*))?.*"#
    let declaration = try Regex(pattern, as: (Substring, Substring, Substring, Substring?).self)
    var (open, found): ([(indent: Int, name: String)], [String]) = ([], [])
    for line in text.split(separator: "\n") {
      guard let match = line.wholeMatch(of: declaration), !line.contains("//") else { continue }
      let (_, indent, type, list) = match.output
      open.removeAll { $0.indent >= indent.count }
      open.append((indent.count, String(type)))
      let conformances = (list ?? "").split { !$0.isLetter && $0 != "." }
      if conformances.contains(where: { $0 == name }) {
        found.append(open.map(\.name).joined(separator: "."))
      }
    }
    return found
  }
}
