// SPDX-License-Identifier: MIT

/// The running programs according to proc(5), which may hide those of other users.
package struct RunningPrograms: Sendable {
  package struct Process: Sendable, Equatable {
    package var id: Int32
    /// The first 15 bytes of the program's name.
    package var name: String
  }

  private let files: FileStore

  package init(files: FileStore) {
    self.files = files
  }

  /// Whether the programs of other users are visible.
  package var areAllSeen: Bool { read("comm", of: 1) != nil }

  /// Returns a running program with the first matching name.
  package func first(of names: [String]) -> Process? {
    let numbers = ((try? files.names(in: "/proc")) ?? []).compactMap(Int32.init).sorted()
    let running = numbers.compactMap { number -> Process? in
      guard let bytes = read("comm", of: number) else { return nil }
      let name = bytes.prefix { $0 != UInt8(ascii: "\n") }
      return Process(id: number, name: String(decoding: name, as: UTF8.self))
    }
    return names.lazy.compactMap { name in running.first { $0.name == name } }.first
  }

  /// Returns the initial environment of a program; `nil` if it is not readable.
  package func variables(of process: Process) -> [String: String]? {
    read("environ", of: process.id).map { bytes in
      ProcessEnvironment.variables(in: bytes.split(separator: 0))
    }
  }

  private func read(_ name: String, of number: Int32) -> [UInt8]? {
    (try? files.read("/proc/\(number)/\(name)", privacy: .untrusted)).flatMap(\.self)
  }
}
