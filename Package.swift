// swift-tools-version: 6.2

import Foundation
import PackageDescription

/// With `WARNINGS_AS_ERRORS`, rejects warnings and expressions that take over 3 s to type-check, and
/// compiles each target as a whole.
///
/// Other builds accept both: a newer compiler may report more warnings, and a machine may be slow.
/// Whole targets take a third of the time if everything is built, and longer after a small change.
let strictness: [SwiftSetting] =
  Context.environment["WARNINGS_AS_ERRORS"] == nil
  ? []
  : [
    .treatAllWarnings(as: .error),
    .unsafeFlags(["-Xfrontend", "-warn-long-expression-type-checking=3000"]),
    .unsafeFlags(
      ["-whole-module-optimization", "-num-threads", "2"],
      .when(configuration: .debug)
    ),
  ]

/// Reduces the start time of the program, which often runs for milliseconds only.
///
/// Finds type metadata by calls instead of resolving mangled names at run time, which takes a
/// quarter of the instructions of `oppi ask`.
let quickStart: [SwiftSetting] = [
  .unsafeFlags(
    ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"],
    .when(configuration: .release)
  )
]

/// The settings of all targets, with all upcoming language features.
let settings: [SwiftSetting] =
  quickStart + strictness + [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
  ]

/// Links the C++ runtime statically if its archive is installed.
///
/// With `--static-swift-stdlib`, the Swift libraries link with `-lstdc++`. By default the linker
/// uses the shared library, and loading it takes a fifth of the start time. The folder `Linking`
/// has a linker script of that name that refers to the archive; it needs lld, which the toolchain
/// includes. A release also omits the dynamic symbols of the program, which the Swift runtime would
/// otherwise search at every start.
let staticRuntime: [LinkerSetting] = {
  let root = "/usr/lib/gcc"
  let files = FileManager.default
  func folders(_ path: String) -> [String] {
    ((try? files.contentsOfDirectory(atPath: path)) ?? []).map { "\(path)/\($0)" }
  }
  let archives = folders(root).flatMap(folders).map { "\($0)/libstdc++.a" }
  guard archives.contains(where: files.fileExists) else { return [] }
  return [
    .unsafeFlags(["-use-ld=lld", "-L\(Context.packageDirectory)/Sources/oppi/Linking"]),
    .unsafeFlags(
      ["-Xlinker", "--no-export-dynamic", "-Xclang-linker", "-static-libgcc"],
      .when(configuration: .release)
    ),
  ]
}()

func library(
  _ name: String,
  _ dependencies: [Target.Dependency] = [],
  plugins: [Target.PluginUsage] = []
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings, plugins: plugins)
}

/// A library without access to the system: no file, socket, clock, environment or randomness.
///
/// It is optimized in debug builds, too, because the tests spend most of their time in such code.
func pureLibrary(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name,
    dependencies: dependencies,
    swiftSettings: settings + [.unsafeFlags(["-O"], .when(configuration: .debug))]
  )
}

/// Excludes fixtures and snapshots, which tests read from the folder of their source files.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name,
    dependencies: dependencies,
    exclude: excluded[name, default: []],
    swiftSettings: settings
  )
}

let excluded: [String: [String]] = [
  "OppiModelTests": ["Activity/Snapshots", "Wire/Fixtures"],
  "OppiTerminalTests": ["Widths/tables.py", "Widths/widths.txt"],
  "OppiTests": [
    "Activity/Snapshots", "Console/Snapshots", "Help/Snapshots", "Program/Homes",
    "Program/Snapshots",
  ],
  "InteropTests": ["server.py"],
]

let package = Package(
  name: "oppi",
  products: [
    .executable(name: "oppi", targets: ["oppi"]),
    .library(name: "Fuzz", type: .static, targets: ["Fuzz"]),
  ],
  targets: [
    pureLibrary("CommandTable"),
    pureLibrary("WebSocketCodec"),
    pureLibrary("HTTPCodec"),
    pureLibrary("OppiModel"),
    pureLibrary("OppiTerminal", ["OppiModel"]),

    // With access to the system.
    library("EventLoop"),
    library("OppiTransport", ["EventLoop", "OppiModel", "HTTPCodec", "WebSocketCodec"]),
    library("OppiSystem", ["EventLoop", "OppiModel"]),
    library(
      "OppiHost",
      ["EventLoop", "OppiModel", "OppiTransport", "HTTPCodec", "WebSocketCodec"]
    ),
    .target(
      name: "FakeServer",
      dependencies: [
        "EventLoop", "OppiModel", "OppiTransport", "HTTPCodec", "WebSocketCodec", "OppiHost",
      ],
      path: "Tests/FakeServer",
      swiftSettings: settings
    ),
    library(
      "Oppi",
      [
        "CommandTable", "EventLoop", "HTTPCodec", "WebSocketCodec", "OppiModel", "OppiTerminal",
        "OppiTransport", "OppiSystem", "OppiHost",
      ],
      plugins: ["ExampleTexts"]
    ),
    .plugin(
      name: "ExampleTexts",
      capability: .buildTool(),
      path: "Sources/ExampleTexts",
      exclude: ["generate"]
    ),
    .plugin(
      name: "BuildCommit",
      capability: .buildTool(),
      path: "Sources/BuildCommit",
      exclude: ["archive", "generate"]
    ),
    .executableTarget(
      name: "oppi",
      dependencies: ["Oppi", "OppiSystem"],
      exclude: ["Linking"],
      swiftSettings: settings,
      linkerSettings: staticRuntime,
      plugins: ["BuildCommit"]
    ),

    .target(
      name: "TestSupport",
      dependencies: [
        "CommandTable", "EventLoop", "OppiModel", "OppiTerminal", "OppiSystem", "OppiTransport",
      ],
      path: "Tests/TestSupport",
      exclude: ["Activity/Recordings", "Activity/Traces"],
      swiftSettings: settings
    ),
    tests("CommandTableTests", ["CommandTable", "TestSupport"]),
    tests("WebSocketCodecTests", ["WebSocketCodec", "TestSupport"]),
    tests("HTTPCodecTests", ["HTTPCodec", "TestSupport"]),
    tests("OppiModelTests", ["OppiModel", "TestSupport"]),
    tests(
      "OppiTerminalTests",
      ["OppiTerminal", "OppiModel", "TestSupport"]
    ),
    tests("EventLoopTests", ["EventLoop", "TestSupport"]),
    tests(
      "OppiTransportTests",
      [
        "EventLoop", "OppiTransport", "OppiModel", "HTTPCodec", "WebSocketCodec",
        "FakeServer",
        "TestSupport",
      ]
    ),
    tests(
      "OppiSystemTests",
      [
        "EventLoop", "OppiSystem", "OppiModel", "TestSupport",
      ]
    ),
    tests(
      "FakeServerTests",
      [
        "EventLoop", "FakeServer", "OppiHost", "OppiModel", "OppiTransport", "HTTPCodec",
        "WebSocketCodec", "TestSupport",
      ]
    ),
    tests(
      "OppiTests",
      [
        "Oppi", "CommandTable", "EventLoop", "OppiModel", "OppiTerminal", "OppiTransport",
        "OppiSystem", "OppiHost", "FakeServer", "HTTPCodec", "WebSocketCodec", "TestSupport",
        "Simulation",
      ]
    ),
    tests(
      "EndToEndTests",
      [
        "oppi", "EventLoop", "FakeServer", "OppiHost", "OppiModel", "OppiTransport", "HTTPCodec",
        "WebSocketCodec", "TestSupport",
      ]
    ),
    tests("InteropTests", ["oppi", "TestSupport"]),

    .target(
      name: "Simulation",
      dependencies: [
        "EventLoop", "OppiModel", "OppiTransport", "OppiSystem", "Oppi", "FakeServer",
        "CommandTable", "HTTPCodec", "WebSocketCodec", "TestSupport",
      ],
      path: "Tests/Simulation/Simulation",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "simulate",
      dependencies: ["Simulation", "FakeServer", "OppiModel", "OppiTransport", "TestSupport"],
      path: "Tests/Simulation/simulate",
      swiftSettings: settings
    ),
    .testTarget(
      name: "SimulationTests",
      dependencies: ["EventLoop", "OppiSystem", "Simulation", "TestSupport"],
      path: "Tests/Simulation/SimulationTests",
      exclude: ["Snapshots"],
      swiftSettings: settings
    ),

    .target(
      name: "Fuzz",
      dependencies: [
        "CommandTable", "WebSocketCodec", "HTTPCodec", "OppiModel", "OppiTerminal", "OppiSystem",
        "Oppi", "TestSupport",
      ],
      path: "Tests/Fuzz/Fuzz",
      swiftSettings: settings
    ),
    .testTarget(
      name: "FuzzTests",
      dependencies: ["Fuzz", "TestSupport"],
      path: "Tests/Fuzz/FuzzTests",
      swiftSettings: settings
    ),
  ]
)
