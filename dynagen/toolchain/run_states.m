% Runs functions on many states for dynagen: octave-cli run_states.m FOLDER DESCRIPTION
%
% DESCRIPTION is JSON: {"real": "double", "functions": [{"symbol", "inputs": ["3 4"], "outputs": ["3"], "can_fail"}]}.
% FOLDER holds the functions; it may be deleted after the first byte on standard output. A request on standard input consists of
% the index of a function and the number of states, 32 bits each, and the inputs. The response on standard output consists of the
% outputs, and of 32 bits of status for each state if the function can fail. Every array contains its states one after another,
% matrices by rows. The process ends at the end of standard input.
1;

function value = order_by_columns(elements, shape)
  % Return an array of a shape from its elements in the order of rows.
  if numel(shape) < 2
    value = elements;
  else
    value = permute(reshape(elements, fliplr(shape)), numel(shape):-1:1);
  end
end

function elements = order_by_rows(value)
  % Return the elements of an array in the order of rows.
  elements = permute(value, ndims(value):-1:1)(:);
end

function run(functions, real, request)
  % Run one request.
  called = functions{request(1) + 1};
  count = request(2);
  inputs = cell(1, numel(called.inputs));
  for k = 1:numel(inputs)
    inputs{k} = fread(stdin, [prod(called.inputs{k}), count], [real '=>' real]);
  end
  outputs = cell(1, numel(called.outputs));
  for k = 1:numel(outputs)
    outputs{k} = zeros(prod(called.outputs{k}), count, real);
  end
  statuses = zeros(1, count);
  arguments = cell(size(inputs));
  results = cell(1, numel(outputs) + called.can_fail);
  for state = 1:count
    for k = 1:numel(inputs)
      arguments{k} = order_by_columns(inputs{k}(:, state), called.inputs{k});
    end
    [results{:}] = called.handle(arguments{:});
    for k = 1:numel(outputs)
      if ! isequal(size(results{k})(1:numel(called.outputs{k})), called.outputs{k})
        error('output %d has a wrong shape', k);
      end
      outputs{k}(:, state) = order_by_rows(results{k});
    end
    if called.can_fail
      statuses(state) = results{end};
    end
  end
  for k = 1:numel(outputs)
    fwrite(stdout, outputs{k}, real);
  end
  if called.can_fail
    fwrite(stdout, statuses, 'int32');
  end
  fflush(stdout);
end

% A process that is ended leaves no file octave-workspace.
crash_dumps_octave_core(false);
sighup_dumps_octave_core(false);
sigterm_dumps_octave_core(false);

passed = argv();
addpath(passed{end - 1});
description = jsondecode(passed{end}, 'makeValidName', false);
functions = description.functions;
if ! iscell(functions)
  functions = num2cell(functions);
end
for k = 1:numel(functions)
  % nargin reads and parses the file, which the handle then keeps.
  nargin(functions{k}.symbol);
  for group = {'inputs', 'outputs'}
    functions{k}.(group{1}) = cellfun(@(text) sscanf(text, '%d').', functions{k}.(group{1}), ...
                                      'UniformOutput', false);
  end
  functions{k}.handle = str2func(functions{k}.symbol);
end
fwrite(stdout, 1, 'uint8');
fflush(stdout);
while true
  request = fread(stdin, 2, 'uint32');
  if numel(request) < 2
    break;
  end
  run(functions, description.real, request);
end
