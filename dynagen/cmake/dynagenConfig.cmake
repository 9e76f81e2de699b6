# dynagen_generate(): a library of generated C, made at build time. Found by find_package(dynagen), see examples/firmware:
#
#   dynagen_generate(<target> ROBOT <description or bundled robot>
#                    [FUNCTIONS <name>...] [REAL double|float] [OPTIONS <option of dynagen>...] [GOLDEN_TEST])
#
# makes <target>::<target>, whose header is <target>.h: every public name starts with <target>. It is generated, and proved, in
# the first build, and again only when the description, or dynagen itself, changes; what comes out as it was is not compiled
# again. GOLDEN_TEST adds the test <target>_golden. A program of the project that links to <target>::golden can call
# int <target>_golden(void), which returns the number of wrong golden values, and needs no start-up code of its own. install(TARGETS <target> EXPORT ... PUBLIC_HEADER ...) installs it.
if(CMAKE_VERSION VERSION_LESS 3.20)
  message(FATAL_ERROR "dynagen_generate() needs CMake 3.20 or newer, this is ${CMAKE_VERSION}")
endif()

find_program(DYNAGEN dynagen REQUIRED DOC "The generator of dynamics code")

function(dynagen_generate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "GOLDEN_TEST" "ROBOT;REAL" "FUNCTIONS;OPTIONS")
  if(NOT arg_ROBOT OR arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "dynagen_generate(${target}): expected ROBOT, and after it FUNCTIONS, REAL, OPTIONS, GOLDEN_TEST; "
                        "found ${ARGN}")
  endif()
  if(NOT target MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
    message(FATAL_ERROR "dynagen_generate(${target}): all public names of the code begin with the name of the target: expected a "
                        "letter, followed by letters, digits and underscores")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT C IN_LIST languages)
    message(FATAL_ERROR "dynagen_generate(${target}): the code is C, and this project has only ${languages}: add C to the "
                        "LANGUAGES of project()")
  endif()
  set(description)
  get_filename_component(path ${arg_ROBOT} ABSOLUTE)
  get_source_file_property(made_by_the_build ${path} GENERATED)
  if(made_by_the_build OR (EXISTS ${path} AND NOT IS_DIRECTORY ${path}))
    set(arg_ROBOT ${path})
    set(description ${path})
  else()
    execute_process(COMMAND ${DYNAGEN} robots ${arg_ROBOT} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE reason)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "dynagen_generate(${target}): ROBOT ${arg_ROBOT} is not a file of ${CMAKE_CURRENT_SOURCE_DIR}, "
                          "and no bundled robot:\n${reason}")
    endif()
  endif()
  set(options --lang c --single-file --prefix ${target})
  if(arg_REAL)
    list(APPEND options --real ${arg_REAL})
  endif()
  foreach(function IN LISTS arg_FUNCTIONS)
    list(APPEND options --function ${function})
  endforeach()

  # The stamp is new after every run, generated files only if their content is. The stamp is outside of the folder: CMake
  # deletes the output of a command whose options have changed, and dynagen refuses a folder without its manifest.
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/dynagen/${target})
  set(stamp ${folder}.stamp)
  set(header ${folder}/include/${target}.h)
  set(source ${folder}/src/${target}.c)
  set(golden ${folder}/test/${target}_golden.c)
  add_custom_command(
    OUTPUT ${stamp}
    BYPRODUCTS ${header} ${source} ${golden}
    COMMAND ${DYNAGEN} ${arg_ROBOT} ${options} ${arg_OPTIONS} --out ${folder} --stamp ${stamp} --depfile ${folder}.d
            --format none
    DEPENDS ${description}
    DEPFILE ${folder}.d
    COMMENT "Generating and proving ${target}"
    VERBATIM
  )
  add_library(${target} ${header} ${source} ${stamp})
  add_library(${target}::${target} ALIAS ${target})
  set_target_properties(${target} PROPERTIES PUBLIC_HEADER ${header})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${folder}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(${target} PUBLIC c_std_99)
  # Nobody asks for errno here; Clang calls for a sine and its cosine at once only if it need not set it.
  target_compile_options(${target} PRIVATE $<$<C_COMPILER_ID:GNU,Clang,AppleClang>:-fno-math-errno>)
  # A static library can be linked into a shared one, where there are any.
  get_property(shared_libraries GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
  if(shared_libraries AND NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  if(NOT WIN32)
    target_link_libraries(${target} PUBLIC -lm)
  endif()
  add_library(${target}_golden_vectors STATIC EXCLUDE_FROM_ALL ${golden})
  add_library(${target}::golden ALIAS ${target}_golden_vectors)
  string(TOUPPER ${target} macro)
  target_compile_definitions(${target}_golden_vectors PRIVATE ${macro}_GOLDEN_ALONE)
  target_link_libraries(${target}_golden_vectors PUBLIC ${target}::${target})
  if(arg_GOLDEN_TEST)
    add_executable(${target}_golden ${golden})
    target_link_libraries(${target}_golden PRIVATE ${target}::${target})
    add_test(NAME ${target}_golden COMMAND ${target}_golden)
  endif()
endfunction()
