// SPDX-License-Identifier: MIT

import OppiSystem
import Simulation
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// The files that `oppi doctor` checks.
@Suite struct DoctorFilesTests {
  @Test("every file that others could change is found")
  func modes() {
    inWorld { world, _ in
      let own = world.services.paths.ownFiles.filter { !world.disk.folders.contains($0.path) }
      for file in own.map(\.path) where file.hasSuffix(".json") || file.hasSuffix(".jsonl") {
        let before = world.disk.contents(of: file)
        world.disk.put(before ?? Array("{}".utf8), at: file, mode: 0o666)
        let found = await world.oppi("doctor", "--json").findings(of: "files")
        #expect(found.contains { $0.contains("\(file) has mode 666") }, "\(file): \(found)")
        world.disk.put(before ?? Array("{}".utf8), at: file)
      }
      let found = await world.oppi("doctor", "--json").findings(of: "files")
      #expect(found.map { $0.prefix(3) } == ["ok:"], "\(found)")
    }
  }

  @Test("a token file that others could read is a warning, because it is replaced")
  func tokens() {
    inWorld { world, _ in
      let path = World.tokenFile
      world.disk.put(world.disk.text(at: path), at: path, mode: 0o644)
      let outcome = await world.oppi("doctor", "--json")
      let found = outcome.findings(of: "files")
      #expect(found.count == 1, "\(found)")
      #expect(found[0].hasPrefix("warning: \(path) has mode 644"), "\(found)")
      #expect(outcome.status == 0 && !outcome.errors.contains(path), "\(outcome)")
    }
  }

  @Test("a file with secrets that others could read is found, also if no server needs it")
  func secrets() {
    inWorld(isPaired: false) { world, _ in
      let paths = world.services.paths
      let secrets = [paths.credentialsFile, paths.accessTokensFile]
      for path in secrets { world.disk.put("{}", at: path, mode: 0o644) }
      let found = await world.oppi("doctor", "--json").findings(of: "files")
      for path in secrets {
        #expect(found.count { $0.contains("\(path) has mode 644") } == 1, "\(found)")
      }
    }
  }

  @Test("several unusable files are all found, in plain words, once")
  func several() {
    inWorld { world, _ in
      let paths = world.services.paths
      for path in [paths.configFile, paths.spendingFile, paths.escalationsFile] {
        world.disk.put("{", at: path)
      }
      let outcome = await world.oppi("doctor", exits: 78)
      for path in [paths.configFile, paths.spendingFile, paths.escalationsFile] {
        #expect(outcome.lines.count { $0.contains("\(path) is damaged") } == 1, "\(outcome)")
      }
      // As in the description of a Swift value.
      #expect(!"\(outcome)".contains("(path:"), "\(outcome)")
    }
  }

  @Test("folders that cannot be written are faults")
  func unwritable() {
    inWorld { world, _ in
      world.disk.breakDown()
      let outcome = await world.oppi("doctor", "--json")
      world.disk.set(Faults())
      let found = outcome.findings(of: "files")
      let folders = world.services.paths.ownFolders
      #expect(found.count == folders.count && outcome.status == 73, "\(found)")
      for folder in folders {
        #expect(found.contains { $0.hasPrefix("fault: cannot create \(folder): ") }, "\(found)")
      }
    }
  }
}
